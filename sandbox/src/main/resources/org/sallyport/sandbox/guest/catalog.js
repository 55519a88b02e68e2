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

  return {
    get __interfaces() {
      return (all ??= frozen(parse(host("interfaces"))));
    },
    __getToolInterface(name) {
      const text = host("interface", nameOf(name));
      if (text === "") return null;
      if (!known.has(text)) known.set(text, frozen(parse(text)));
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
