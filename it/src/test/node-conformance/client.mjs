// The client that the conformance suite checks: the service with a backend at the suite's server. The suite adds the
// address of its server to the arguments and names the scenario in MCP_CONFORMANCE_SCENARIO.
const url = process.argv.at(-1);
const scenario = process.env.MCP_CONFORMANCE_SCENARIO;
const api = `${process.env.SERVICE}/api/v1`;
const backend = `conformance_${scenario.replaceAll(/\W/g, "_")}_${process.pid}`;

const SCRIPTS = {
  initialize: "return null",
  "sse-retry": `return await ${backend}.test_reconnection()`,
  tools_call: `return await ${backend}.add_numbers({ a: 5, b: 3 })`,
};

async function send(method, path, body, headers = {}) {
  const answer = await fetch(api + path, {
    method,
    headers: { authorization: `Bearer ${process.env.API_KEY}`, "content-type": "application/json", ...headers },
    body: body && JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) {
    throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  }
  return text && JSON.parse(text);
}

await send("POST", "/backends", { name: backend, kind: "mcp-http", settings: { url } });
try {
  for (;;) {
    const { state, lastError } = (await send("GET", `/backends/${backend}`)).status;
    if (state === "ready") {
      break;
    }
    if (lastError) {
      throw new Error(`${state}: ${lastError}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const execution = await send("POST", "/executions", { code: SCRIPTS[scenario] }, { prefer: "wait=20" });
  if (execution.state !== "COMPLETED") {
    throw new Error(JSON.stringify(execution));
  }
  console.log(JSON.stringify(execution.result));
} finally {
  await send("DELETE", `/backends/${backend}`);
}
