import { EventStream } from "./eventStream";

/**
 * Connects this tab to the event stream and hands over its port.
 *
 * All tabs of a browser share one stream, because a browser opens at most six connections to a server. Without shared
 * workers, or if the worker does not load (a second port is handed over then), the tab has a stream of its own.
 */
export function connectStream(onPort: (port: MessagePort) => void): void {
  const connectAlone = () => {
    const { port1, port2 } = new MessageChannel();
    new EventStream((...request) => fetch(...request)).connect(port1);
    onPort(port2);
  };
  if (!("SharedWorker" in globalThis)) {
    connectAlone();
    return;
  }
  const worker = new SharedWorker(new URL("./streamWorker.ts", import.meta.url), { type: "module" });
  worker.addEventListener("error", connectAlone);
  worker.port.addEventListener("message", () => worker.removeEventListener("error", connectAlone), {
    once: true,
  });
  onPort(worker.port);
}
