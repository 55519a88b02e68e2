// Passes requests on to a service and adds an API key: the conformance suite cannot send one.
// Arguments: address of the service. The key is in the variable API_KEY.
import http from "node:http";

const service = new URL(process.argv[2]);

const proxy = http.createServer((request, response) => {
  const headers = { ...request.headers, authorization: `Bearer ${process.env.API_KEY}` };
  const passed = http.request(service, { path: request.url, method: request.method, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  passed.on("error", (error) => response.destroy(error));
  response.on("close", () => passed.destroy());
  request.pipe(passed);
});
proxy.listen(0, "127.0.0.1", () => console.log(`listening on ${proxy.address().port}.`));
