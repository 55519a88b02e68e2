// A connector that breaks the contract on purpose. The name of the tool selects how it answers a call. It prints the
// headers of each call that it receives.
// Environment: PORT, BACKEND, PASSWORD; FORGE: the correlation id of a call to another backend.
import rhea from "rhea";

const { PORT, BACKEND, PASSWORD, FORGE } = process.env;
const address = (what) => `sallyport.external.${BACKEND}.${what}`;
const container = rhea.create_container();
const connect = () =>
  container.connect({ host: "127.0.0.1", port: Number(PORT), username: BACKEND, password: PASSWORD, reconnect: false });

// Connects again until it succeeds: the broker refuses the account until the service knows the backend.
async function letIn() {
  for (;;) {
    const connection = connect();
    const open = await new Promise((resolve) => {
      connection.once("connection_open", () => resolve(true));
      for (const end of ["connection_error", "disconnected"]) connection.once(end, () => resolve(false));
    });
    if (open) return connection;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

const connection = await letIn();
const text = (value) => JSON.stringify({ v: 1, result: JSON.stringify(value) });

const deeds = {
  twice: (id) => [
    { correlation_id: id, body: text("first") },
    { correlation_id: id, body: text("second") },
  ],
  garbage: (id) => [{ correlation_id: id, body: '{"v":1,"result":' }],
  noJson: (id) => [{ correlation_id: id, body: JSON.stringify({ v: 1, result: "{not json" }) }],
  otherVersion: (id) => [{ correlation_id: id, body: JSON.stringify({ v: 2, result: "1" }) }],
  nothing: (id) => [{ correlation_id: id }],
  binary: (id) => [{ correlation_id: id, body: rhea.message.data_section(Buffer.from([0xff, 0xfe, 0x00])) }],
  map: (id) => [{ correlation_id: id, body: { v: 1, result: "1" } }],
  list: (id) => [{ correlation_id: id, body: rhea.message.sequence_section([1, 2, [3]]) }],
  bytes: (id) => [{ correlation_id: id, body: rhea.message.data_section(Buffer.from(text("as bytes"))) }],
  deep: (id) => [{ correlation_id: id, body: JSON.stringify({ v: 1, result: "[".repeat(5_000) + "]".repeat(5_000) }) }],
  duplicate: (id) => [{ correlation_id: id, body: JSON.stringify({ v: 1, result: '{"a":1,"a":2}' }) }],
  code: (id) => [
    {
      correlation_id: id,
      body: JSON.stringify({ v: 1, error: { code: "not-granted", message: "x".repeat(100_000) } }),
    },
  ],
  huge: (id) => [{ correlation_id: id, body: text("x".repeat(6 * 1024 * 1024)) }],
  large: (id) => [{ correlation_id: id, body: text("y".repeat(600 * 1024)) }],
  unknown: (id) => [
    ...["", "x", "0".repeat(32), "x".repeat(20_000), 7, rhea.types.wrap_uuid(Buffer.alloc(16))].map((guess) => ({
      correlation_id: guess,
      body: text("forged"),
    })),
    { body: text("nameless") },
    { correlation_id: id, body: text("after strangers") },
  ],
  flood: (id) => [
    ...Array.from({ length: 1_000 }, (_, at) => ({ correlation_id: `flood-${at}`, body: text("z".repeat(1_000)) })),
    { correlation_id: id, body: text("after the flood") },
  ],
  forge: (id) => [
    ...(FORGE ? [{ correlation_id: FORGE, body: text("forged") }] : []),
    { correlation_id: id, body: text("done") },
  ],
  never: () => [],
};

const tools = Object.keys(deeds).map((name) => ({ name, inputSchema: { type: "object" } }));
// A separate session, because a flood of answers fills the buffer of its session, and rhea throws when a message is
// added to a full buffer.
const session = connection.create_session();
session.begin();
const status = session.open_sender({ target: { address: address("status"), capabilities: ["topic"] } });
const say = (body) => status.send({ body: typeof body === "string" ? body : JSON.stringify(body) });
status.once("sendable", () => {
  for (const bad of [
    "",
    "[]",
    "{",
    '{"v":1}',
    '{"v":1,"alive":{"instance":"../../x"}}',
    '{"v":1,"register":{"instance":"i"}}',
    JSON.stringify({ v: 1, register: { instance: "i", tools: [{ name: "a" }, { name: "a" }] } }),
    JSON.stringify({ v: 1, register: { instance: "i", tools: [{ name: "no spaces" }] } }),
    JSON.stringify({ v: 1, register: { instance: "i", tools: [{ name: "a", inputSchema: { $ref: "#/nowhere" } }] } }),
  ])
    say(bad);
  say({ v: 1, register: { instance: "hostile", tools } });
});
setInterval(() => {
  if (status.sendable()) say({ v: 1, alive: { instance: "hostile" } });
}, 1_000);

const commands = connection.open_receiver({ source: { address: address("commands"), capabilities: ["topic"] } });
commands.on("message", ({ message }) => console.log(`command ${message.body}`));

const calls = connection.open_receiver({ source: address("calls"), autoaccept: true, credit_window: 100 });
const queues = new Map();
calls.on("message", ({ message }) => {
  const request = JSON.parse(message.body);
  console.log(
    `call ${request.tool} ${message.correlation_id} ${message.reply_to} ` +
      `${message.application_properties?.traceparent ?? "-"}`,
  );
  if (!queues.has(message.reply_to)) {
    const sender = connection.open_sender(message.reply_to);
    queues.set(message.reply_to, { sender, messages: [] });
    sender.on("sendable", () => drain(message.reply_to));
    sender.on("rejected", ({ delivery }) => console.log(`rejected ${delivery.remote_state?.error?.description}`));
  }
  queues.get(message.reply_to).messages.push(...deeds[request.tool](message.correlation_id));
  drain(message.reply_to);
});

function drain(to) {
  const { sender, messages } = queues.get(to);
  while (messages.length && sender.sendable()) sender.send(messages.shift());
}
connection.on("connection_error", ({ connection: at }) => console.log(`connection ${at.error?.condition}`));
connection.on("disconnected", () => process.exit(0));
container.on("error", (error) => console.log(`error ${error?.description ?? error}`));
