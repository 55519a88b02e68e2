// Functions that describe the tools of a script. Loaded on first use.
(function (kit) {
  "use strict";
  const { host, parse, frozen, TypeErrorOf } = kit;
  const known = new Map();
  let all;

  function nameOf(name) {
    if (typeof name !== "string") throw new TypeErrorOf('The name of a tool must be a text such as "backend.tool"');
    return name;
  }

  // Adds the schema under its name in MCP, with `properties` in any case. It is not enumerable, so that an entry that
  // is printed or returned has its schema once.
  function withInputSchema(entry) {
    const schema = entry.inputSchema;
    const properties = typeof schema === "object" && schema !== null && Object.hasOwn(schema, "properties");
    const value = properties ? schema : { ...schema, properties: {} };
    Object.defineProperty(entry, "input_schema", { __proto__: null, value });
    return entry;
  }

  return {
    get __interfaces() {
      if (all === undefined) {
        const entries = parse(host("interfaces"));
        for (const backend of Object.values(entries)) Object.values(backend).forEach(withInputSchema);
        all = frozen(entries);
      }
      return all;
    },
    __getToolInterface(name) {
      const text = host("interface", nameOf(name));
      if (text === "") return null;
      if (!known.has(text)) known.set(text, frozen(withInputSchema(parse(text))));
      return known.get(text);
    },
    searchTools(words, { limit = 10 } = {}) {
      if (typeof words !== "string") throw new TypeErrorOf("searchTools takes words in a text");
      const most = Math.trunc(Number(limit));
      return parse(host("search", words, String(most >= 0 && most <= 1000 ? most : 1000)));
    },
    describeTool(name) {
      return host("describe", nameOf(name)) || null;
    },
  };
});
