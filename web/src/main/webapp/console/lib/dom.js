// Creates elements without a template language: `div({ class: "x" }, "text", child)`. Text always becomes text nodes.
import { h, isValidElement } from "../vendor/preact.js";

export { Fragment, createContext, h, render } from "../vendor/preact.js";
export {
  useCallback,
  useContext,
  useEffect,
  useErrorBoundary,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "../vendor/hooks.js";

/** @param {unknown} value */
const isProps = (value) =>
  value !== null && typeof value === "object" && !Array.isArray(value) && !isValidElement(value);

/** Maps an element name to a function that creates the element. @type {Record<string, (...content: any[]) => any>} */
export const el = new Proxy(
  {},
  {
    get:
      (_, name) =>
      (...content) => {
        const props = isProps(content[0]) ? content.shift() : null;
        return h(/** @type {string} */ (name), props, ...content);
      },
  },
);

/** Joins the class names that are set. @param {...(string | false | null | undefined)} names */
export const classes = (...names) => names.filter(Boolean).join(" ");
