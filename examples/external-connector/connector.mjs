// A connector that runs as a separate process and speaks AMQP 1.0. docs/connector-contract.md specifies its behavior.
//
//   BACKEND=texts PASSWORD=… node connector.mjs [host:port]
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import rhea from "rhea";

const backend = process.env.BACKEND ?? "texts";
const [host, port] = (process.argv[2] ?? "127.0.0.1:5672").split(":");
const instance = randomUUID(); // a new id at each start
const address = (what) => `sallyport.external.${backend}.${what}`;
const say = (line) => console.log(`${new Date().toISOString()} ${line}`);

// ---- Tools

const lines = [];
const tools = {
  count: {
    description: "Counts the words of a text.",
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    readOnly: true,
    run: ({ text }) => ({ words: text.split(/\s+/).filter(Boolean).length }),
  },
  append: {
    description: "Keeps a line, and says how many there are.",
    inputSchema: { type: "object", properties: { line: { type: "string" } }, required: ["line"] },
    run: ({ line }) => ({ lines: lines.push(line) }),
  },
  wait: {
    description: "Answers after a while, unless the client no longer waits for it.",
    inputSchema: { type: "object", properties: { millis: { type: "integer", minimum: 0 } }, required: ["millis"] },
    readOnly: true,
    run: async ({ millis }, signal) => ({ waited: await sleep(millis, millis, { signal }) }),
  },
};

const offer = {
  instance,
  revision: "1", // must change when the tools change while the connector runs
  tools: Object.entries(tools).map(([name, { run, ...tool }]) => ({ name, ...tool })),
};

// ---- Calls

const running = new Map(); // AbortController by call id
const done = new Map(); // answer by call id, so that no call runs twice

async function answer(request) {
  const tool = Object.hasOwn(tools, request.tool) ? tools[request.tool] : undefined;
  if (!tool) return { error: { code: "tool-not-found", message: `there is no tool ${request.tool}` } };
  if (Date.now() > request.deadline) return { error: { code: "backend-unavailable", message: "it was too late" } };
  const end = new AbortController();
  running.set(request.call, end);
  const begun = Date.now();
  try {
    const result = await tool.run(JSON.parse(request.arguments), end.signal);
    return { backendMillis: Date.now() - begun, result: JSON.stringify(result) };
  } catch (failure) {
    if (end.signal.aborted) say(`${request.call} withdrawn`);
    if (end.signal.aborted) return { error: { code: "cancelled", message: "it was cancelled" } };
    return { error: { code: "tool-failed", message: String(failure.message) } };
  } finally {
    running.delete(request.call);
  }
}

function remember(call, reply) {
  done.set(call, reply);
  if (done.size > 1_000) done.delete(done.keys().next().value);
}

// ---- Messages

const AT_ONE_TIME = 8;
/** How long after its deadline the service still accepts the answer to a call that is not repeatable. */
const REPORT_MILLIS = 2_000;
const container = rhea.create_container({ id: `${backend}-${instance}` });
let leaving = false;

// Opens a connection with all its links. After any error it closes the connection and opens a new one. The answers to
// calls that the old connection had are lost.
function begin() {
  const connection = container.connect({
    host,
    port: Number(port),
    transport: process.env.TLS ? "tls" : "tcp",
    username: backend,
    password: process.env.PASSWORD,
    reconnect: false,
  });
  const status = connection.open_sender({ target: { address: address("status"), capabilities: ["topic"] } });
  const commands = connection.open_receiver({ source: { address: address("commands"), capabilities: ["topic"] } });
  const calls = connection.open_receiver({ source: address("calls"), autoaccept: false, credit_window: 0 });
  const senders = new Map(); // by reply address

  const tell = (body) => status.sendable() && status.send({ body: JSON.stringify({ v: 1, ...body }), ttl: 10_000 });
  const alive = setInterval(() => tell({ alive: { instance, revision: offer.revision } }), 1_000);

  status.once("sendable", () => tell({ register: offer }));
  commands.on("message", ({ message }) => {
    const command = JSON.parse(message.body);
    if (command.register) tell({ register: offer });
    if (command.refused?.instance === instance) say(`refused: ${command.refused.reason}`);
    if (command.withdraw) running.get(command.withdraw)?.abort();
  });
  calls.on("receiver_open", () => calls.add_credit(AT_ONE_TIME));
  calls.on("message", async ({ message, delivery }) => {
    const request = JSON.parse(message.body);
    say(`${request.call} ${request.tool}`);
    const reply = done.get(request.call) ?? (await answer(request));
    remember(request.call, reply);
    if (!connection.is_open()) return;
    to(message.reply_to).send({
      correlation_id: message.correlation_id,
      body: JSON.stringify({ v: 1, ...reply }),
      ttl: Math.max(1, request.deadline + REPORT_MILLIS - Date.now()),
    });
    delivery.accept(); // only after the answer: until then the broker knows that a connector has the call
    calls.add_credit(1);
  });

  function to(replyTo) {
    if (!senders.has(replyTo)) senders.set(replyTo, connection.open_sender(replyTo));
    return senders.get(replyTo);
  }

  let broken = false;
  function again(why) {
    if (broken) return;
    broken = true;
    clearInterval(alive);
    say(`disconnected${why ? `: ${why.description ?? why.message}` : ""}`);
    connection.close();
    if (!leaving) setTimeout(begin, 1_000);
  }
  connection.on("connection_open", () => say("connected"));
  connection.on("disconnected", ({ error }) => again(error));
  connection.on("connection_error", () => again(connection.error));
  connection.on("connection_close", () => again());
  connection.on("receiver_error", ({ receiver }) => again(receiver.error));
  connection.on("sender_error", ({ sender }) => again(sender.error));

  // Orderly shutdown: takes no more calls and answers those that run.
  leave = async () => {
    leaving = true;
    tell({ leave: { instance } });
    calls.close();
    while (running.size) await sleep(50);
    connection.close();
  };
}

let leave;
begin();
for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => leave());
