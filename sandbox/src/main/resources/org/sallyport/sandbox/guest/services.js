// Events, artifacts and approvals: requests that the host answers itself. Loaded on first use.
(function (kit) {
  "use strict";
  const { host, parse, encode, refusal, requestHost, millisOf, tell, apply, then, TypeErrorOf, LimitError } = kit;
  const MAX_NAME = 200;
  const MAX_QUESTION = 16000;

  function checkedName(name, what) {
    if (typeof name !== "string" || name.length === 0 || name.length > MAX_NAME) {
      throw new TypeErrorOf(what + " must be a text of 1 to " + MAX_NAME + " characters");
    }
    return name;
  }

  function bounded(root, value, most, code, words) {
    try {
      return encode(root, value, most);
    } catch (problem) {
      throw problem === kit.tooLarge ? refusal(LimitError, words, code) : problem;
    }
  }

  function request(name, members) {
    return requestHost(name, () =>
      host(
        "service",
        name,
        bounded(
          "request",
          members,
          kit.limits().argumentChars,
          "too-large",
          "The data of an event are longer than " +
            kit.limits().argumentChars +
            " characters; send less, or raise limits.argumentChars",
        ),
      ),
    );
  }

  // ---- events ------------------------------------------------------------------------------------------------------

  const handlers = [];
  // Sequence number up to which events for the handlers were read, and the open request for the next event.
  let read;
  let reading;
  // By name: sequence number of the last event that events.next returned. The next call reads from there, so no event
  // between two calls is lost.
  const given = new Map();

  function readOn() {
    reading?.forget();
    reading = undefined;
    const names = [...new Set(handlers.filter((each) => each.since !== undefined).map((each) => each.name))];
    if (names.length === 0) return;
    const mine = (reading = request("events.next", { names, after: read }));
    mine.promise.then(
      (event) => {
        if (reading !== mine) return;
        reading = undefined;
        read = event.seq;
        if (event.name !== undefined) deliver(event);
        if (reading === undefined) readOn();
      },
      (problem) => {
        if (reading === mine) tell(problem);
      },
    );
  }

  function deliver(event) {
    for (const handler of handlers.slice()) {
      if (handler.name !== event.name || handler.since === undefined || event.seq <= handler.since) continue;
      try {
        const answer = handler.fn(Object.freeze({ ...event }));
        // A method of the script's promise would receive `tell`, and could report any code.
        if (answer instanceof Promise) apply(then, answer, [undefined, (problem) => tell(problem)]);
      } catch (problem) {
        tell(problem);
      }
    }
  }

  const events = Object.freeze({
    emit(name, data) {
      return (async () => {
        checkedName(name, "The name of an event");
        await request("events.emit", { name, data: data === undefined ? null : data }).promise;
      })();
    },
    on(name, fn) {
      checkedName(name, "The name of an event");
      if (typeof fn !== "function") throw new TypeErrorOf("events.on takes a name and a function");
      const handler = { name, fn, since: undefined };
      handlers.push(handler);
      const last = request("events.last", {});
      last.promise.then(
        ({ seq }) => {
          if (!handlers.includes(handler)) return;
          handler.since = seq;
          read =
            read === undefined || handlers.every((each) => each === handler || each.since === undefined) ? seq : read;
          readOn();
        },
        (problem) => tell(problem),
      );
      return function off() {
        const at = handlers.indexOf(handler);
        if (at < 0) return;
        handlers.splice(at, 1);
        last.forget();
        if (reading !== undefined && !handlers.some((each) => each.name === name)) readOn();
      };
    },
    next(name, { timeout } = {}) {
      return (async () => {
        checkedName(name, "The name of an event");
        const wait = timeout === undefined ? undefined : Math.round(millisOf(timeout, "timeout"));
        // Requested once, so that a replay after a crash waits for events after the same sequence number.
        if (!given.has(name)) given.set(name, (await request("events.last", {}).promise).seq);
        const event = await request("events.next", { names: [name], after: given.get(name), timeout: wait }).promise;
        if (event.name === undefined) return null;
        given.set(name, Math.max(event.seq, given.get(name) ?? 0));
        return Object.freeze(event);
      })();
    },
  });

  // ---- artifacts ---------------------------------------------------------------------------------------------------

  function contentOf(data) {
    if (typeof data === "string") return { kind: "text", content: data };
    if (data instanceof ArrayBuffer) return { kind: "bytes", content: data };
    if (ArrayBuffer.isView(data)) {
      return { kind: "bytes", content: data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength) };
    }
    const most = kit.limits().artifactBytes;
    const text = bounded(
      "data",
      data,
      most,
      "artifact-too-large",
      "An artifact may have " + most + " bytes; raise limits.artifactBytes or write several",
    );
    if (text === undefined) throw new TypeErrorOf("artifacts.write needs data");
    return { kind: "json", content: text };
  }

  function bytesOf(base64) {
    const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
    const bytes = new Uint8Array((base64.length / 4) * 3 - padding);
    if (bytes.length > 0) host("unbase64", base64, bytes.buffer);
    return bytes;
  }

  const artifacts = Object.freeze({
    async write(name, data, { contentType } = {}) {
      checkedName(name, "The name of an artifact");
      if (contentType !== undefined && (typeof contentType !== "string" || contentType.length > MAX_NAME)) {
        throw new TypeErrorOf("contentType must be a text of at most " + MAX_NAME + " characters");
      }
      const { kind, content } = contentOf(data);
      return await requestHost("artifacts.write", () => host("artifact", name, kind, contentType ?? "", content))
        .promise;
    },
    async read(name) {
      checkedName(name, "The name of an artifact");
      const found = await request("artifacts.read", { name }).promise;
      if (found === null) return null;
      if (found.kind === "bytes") return bytesOf(found.data);
      const text = host("utf8", found.data);
      return found.kind === "json" ? parse(text) : text;
    },
    async list() {
      return await request("artifacts.list", {}).promise;
    },
  });

  // ---- approvals ---------------------------------------------------------------------------------------------------

  const approvals = Object.freeze({
    async request(question) {
      if (typeof question !== "object" || question === null)
        throw new TypeErrorOf("approvals.request takes { title, details }");
      const { title, details, timeout, approvers } = question;
      checkedName(title, "The title of a request");
      const asked = {
        title,
        details: details === undefined ? null : details,
        timeout: timeout === undefined ? undefined : Math.round(millisOf(timeout, "timeout")),
        approvers,
      };
      const most = Math.min(MAX_QUESTION, kit.limits().argumentChars);
      const text = bounded(
        "question",
        asked,
        most,
        "too-large",
        "People are asked " + most + " characters at most; keep the rest in an artifact",
      );
      return Object.freeze(
        await requestHost("approvals.request", () => host("service", "approvals.request", text)).promise,
      );
    },
  });

  return { events, artifacts, approvals };
});
