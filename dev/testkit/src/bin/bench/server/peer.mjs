// A plain server of events: who asks for /live listens, and what is posted is told to all who do.
import { createServer } from "node:http";

const listeners = new Set();

function listen(request, response) {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  response.write("retry: 1000\nid: 0\n\n");
  listeners.add(response);
  request.on("close", () => listeners.delete(response));
}

function tell(request, response) {
  let text = "";
  request.setEncoding("utf8");
  request.on("data", (piece) => {
    text += piece;
  });
  request.on("end", () => {
    for (const listener of listeners) listener.write(text);
    response.writeHead(204).end();
  });
}

createServer((request, response) => {
  if (request.method === "POST") tell(request, response);
  else if (request.url === "/live") listen(request, response);
  else response.end("here");
}).listen({ port: Number(process.argv[2]), host: "127.0.0.1", backlog: 1024 });
