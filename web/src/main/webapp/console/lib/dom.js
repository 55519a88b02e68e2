// Elements without a template language: `div({ class: "x" }, "text", child)`. Texts always become text nodes.
import { h, isValidElement } from "../vendor/preact.js";

export { Fragment, createContext, h, render } from "../vendor/preact.js";
export { useCallback, useContext, useEffect, useErrorBoundary, useLayoutEffect, useMemo, useRef, useState } from "../vendor/hooks.js";

/** @param {unknown} value */
const isProps = (value) => value !== null && typeof value === "object" && !Array.isArray(value) && !isValidElement(value);

/** A function for each element, taken by its name. @type {Record<string, (...content: any[]) => any>} */
export const el = new Proxy({}, {
  get: (_, name) => (...content) => {
    const props = isProps(content[0]) ? content.shift() : null;
    return h(/** @type {string} */ (name), props, ...content);
  },
});

/** The names that hold, with spaces between. @param {...(string | false | null | undefined)} names */
export const classes = (...names) => names.filter(Boolean).join(" ");
