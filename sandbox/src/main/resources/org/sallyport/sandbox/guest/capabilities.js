// Published scripts, called like functions: capabilities.<namespace>.<name>(args). Read on first use.
(function (kit) {
  'use strict';
  const { accessor, callTool } = kit;
  // Any name may be one: what is published is not listed here, so a wrong name fails when it is called.
  function named(path) {
    const members = { __proto__: null };
    const run = path === '' ? undefined : (given) => callTool('capabilities', path, given);
    return accessor(() => undefined, () => [],
      (key) => members[key] ??= named(path === '' ? key : path + '.' + key), run);
  }

  return { capabilities: named('') };
})
