/** The shared worker that holds the event stream for all tabs of a browser. */

import { EventStream } from "./eventStream";

const stream = new EventStream((...request) => fetch(...request));

globalThis.addEventListener("connect", (event) => {
  const [port] = (event as MessageEvent).ports;
  if (port) stream.connect(port);
});
