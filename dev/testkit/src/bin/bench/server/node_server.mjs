// A plain event server: GET /live subscribes, and a posted text is sent to all subscribers.
import { createServer } from "node:http";

const subscribers = new Set();

function subscribe(request, response) {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  response.write("retry: 1000\nid: 0\n\n");
  subscribers.add(response);
  request.on("close", () => subscribers.delete(response));
}

function publish(request, response) {
  let text = "";
  request.setEncoding("utf8");
  request.on("data", (chunk) => {
    text += chunk;
  });
  request.on("end", () => {
    for (const subscriber of subscribers) subscriber.write(text);
    response.writeHead(204).end();
  });
}

createServer((request, response) => {
  if (request.method === "POST") publish(request, response);
  else if (request.url === "/live") subscribe(request, response);
  else response.end("here");
}).listen({ port: Number(process.argv[2]), host: "127.0.0.1", backlog: 1024 });
