// Tries to log in with wrong credentials, and then to use addresses that its account may not use. Prints a line per
// attempt: "what: let in", or the reason for the refusal.
// Environment: PORT; BACKEND and PASSWORD: its own account; OTHER: another backend;
// INCARNATION: that of the node; ANSWERS: the reply queue of its own calls.
import rhea from "rhea";

const { PORT, BACKEND, PASSWORD, OTHER, INCARNATION, ANSWERS } = process.env;

function connect(username, password) {
  return rhea
    .create_container()
    .connect({ host: "127.0.0.1", port: Number(PORT), username, password, reconnect: false });
}

function outcome(what, attempt) {
  return new Promise((resolve) => {
    const end = (said) => {
      console.log(`${what}: ${said}`);
      resolve();
    };
    attempt(end);
    setTimeout(() => end("no answer"), 10_000).unref();
  });
}

const errorOf = (thing) => thing?.error?.condition ?? "closed";

async function login(what, username, password) {
  await outcome(`login ${what}`, (end) => {
    const connection = connect(username, password);
    // A broker that does not check the password at login refuses only the session, so the attempt opens a receiver.
    connection.on("receiver_open", () => end("let in"));
    connection.on("receiver_error", ({ receiver }) => end(errorOf(receiver)));
    connection.on("connection_error", ({ connection: at }) => end(errorOf(at)));
    connection.on("disconnected", () => end("disconnected"));
    connection.on("error", () => end("refused"));
    connection.open_receiver(`sallyport.external.${BACKEND}.calls`);
  });
}

async function receive(connection, address, capabilities = []) {
  await outcome(`receive ${address}`, (end) => {
    const receiver = connection.open_receiver({ source: { address, capabilities }, credit_window: 0 });
    receiver.on("receiver_open", () => receiver.source?.address && end("let in"));
    receiver.on("receiver_error", () => end(errorOf(receiver)));
    receiver.on("receiver_close", () => end(errorOf(receiver)));
  });
}

async function send(connection, address, to) {
  await outcome(`send ${address ?? "anonymously to " + to}`, (end) => {
    const sender = connection.open_sender(address === null ? { target: {} } : address);
    sender.on("sendable", () => sender.send({ to, body: "{}" }));
    sender.on("accepted", () => end("let in"));
    sender.on("rejected", ({ delivery }) => end(delivery.remote_state?.error?.condition ?? "rejected"));
    sender.on("released", () => end("released"));
    sender.on("modified", () => end("modified"));
    sender.on("sender_error", () => end(errorOf(sender)));
    sender.on("sender_close", () => end(errorOf(sender)));
  });
}

await login("with a wrong password", BACKEND, "not the password at all");
await login("with no password", BACKEND, "");
await login("as another backend", OTHER, PASSWORD);
await login("as the broker's own", "ACTIVEMQ.CLUSTER.ADMIN.USER", "CHANGE ME!!");
await login("as nobody", undefined, undefined);

const connection = connect(BACKEND, PASSWORD);
connection.on("connection_error", () => {});
const own = `sallyport.external.${BACKEND}`;
const other = `sallyport.external.${OTHER}`;
await receive(connection, `${own}.calls`);
await receive(connection, `${own}.commands`, ["topic"]);
await send(connection, ANSWERS);
await send(connection, `${own}.status`);
for (const address of [
  "sallyport.jobs",
  "sallyport.tool.java",
  `sallyport.tool.${BACKEND}`,
  `sallyport.reply.${INCARNATION}`,
  "sallyport.dead-letters",
  "sallyport.expired",
  "activemq.management",
  "$.artemis.internal.sf.x",
  ANSWERS,
  `${other}.calls`,
  `${own}.calls::sallyport.jobs`,
  `${own}.commands::${other}.calls`,
  `sallyport.external.*.calls`,
  `sallyport.external.${BACKEND}.*`,
  "#",
]) {
  await receive(connection, address);
}
for (const address of [
  "sallyport.control",
  "sallyport.abandoned-calls",
  `${own}.status`,
  `${other}.commands`,
  `${other}.status`,
  "activemq.notifications",
]) {
  await receive(connection, address, ["topic"]);
}
for (const address of [
  "sallyport.jobs",
  "sallyport.tool.java",
  `sallyport.reply.${INCARNATION}`,
  "sallyport.control",
  "sallyport.abandoned-calls",
  "activemq.management",
  `${own}.calls`,
  `${own}.commands`,
  `${other}.replies.${INCARNATION}-1`,
  `${other}.status`,
  `${own}.new`,
  "new",
]) {
  await send(connection, address);
}
await send(connection, null, "sallyport.jobs");
await send(connection, null, `${other}.replies.${INCARNATION}-1`);
console.log("done");
process.exit(0);
