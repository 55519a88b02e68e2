// Calls with a list of arguments, for spread arguments. The parser of scripts writes such calls. Loaded on first use.
// A helper evaluates the function; what it returns takes the arguments and calls the function.
(function (kit) {
  "use strict";
  const { apply, construct, freeze, StringOf, TypeErrorOf, RangeErrorOf } = kit;
  const MAX_ARGUMENTS = 1000000;
  const MAX_ENGINE_ARGUMENTS = 65535;

  // The function that a helper returns calls no other one of this file, so that a recursion has one call more a level.
  const tooMany = (list) =>
    new RangeErrorOf(
      "A call takes at most " + MAX_ARGUMENTS + " arguments, not " + list.length + "; use a loop, or concat for lists",
    );

  function caller(callee, object, name) {
    return (list) => {
      if (typeof callee !== "function") throw new TypeErrorOf(name + " is not a function");
      if (list.length > MAX_ARGUMENTS) throw tooMany(list);
      return apply(callee, object, list);
    };
  }

  return freeze({
    __proto__: null,
    call: (callee, name) => caller(callee, undefined, name),
    member(object, key, name) {
      if (object === undefined || object === null) {
        // As in the engine, no function of the key is called.
        const anyObject = (typeof key === "object" && key !== null) || typeof key === "function";
        if (anyObject) throw new TypeErrorOf("Cannot convert undefined or null to object: " + object);
        throw new TypeErrorOf("Cannot read property '" + StringOf(key) + "' of " + object);
      }
      return caller(object[key], object, name);
    },
    create: (type, name) => (list) => {
      if (typeof type !== "function") throw new TypeErrorOf(name + " is not a constructor");
      if (list.length > MAX_ARGUMENTS) throw tooMany(list);
      return construct(type, list);
    },
    // Returns the arguments of a call that the engine makes.
    few(list) {
      if (list.length > MAX_ENGINE_ARGUMENTS) {
        throw new RangeErrorOf(
          "A call of this form takes at most " +
            MAX_ENGINE_ARGUMENTS +
            " arguments, not " +
            list.length +
            "; pass the list as one argument",
        );
      }
      return list;
    },
  });
});
