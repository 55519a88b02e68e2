// Published scripts, called like functions: capabilities.<namespace>.<name>(args). Loaded on first use.
(function (kit) {
  "use strict";
  const { accessor, callTool } = kit;
  // Accepts any name, because the guest has no list of published scripts. A call with a wrong name fails.
  function named(path) {
    const members = { __proto__: null };
    const run = path === "" ? undefined : (given, ...more) => callTool("capabilities", path, given, more);
    return accessor(
      () => undefined,
      () => [],
      (key) => (members[key] ??= named(path === "" ? key : path + "." + key)),
      run,
    );
  }

  return { capabilities: named("") };
});
