// The editor for scripts and JSON. CodeMirror is loaded when the first editor is shown.
import { el, useEffect, useLayoutEffect, useRef } from "../lib/dom.js";
import { escapeControlsInText } from "../lib/escape.js";

const vendorUrl = (name) => new URL(`../vendor/${name}`, import.meta.url).href;
/** @type {Promise<any> | undefined} */
let editorPromise;

const loadScript = (name) =>
  new Promise((resolve, reject) => {
    const element = document.createElement("script");
    element.src = vendorUrl(name);
    element.onload = resolve;
    element.onerror = () => {
      element.remove();
      reject(new Error("the editor could not be loaded"));
    };
    document.head.append(element);
  });

function loadStyle(name) {
  if (document.querySelector(`link[href="${vendorUrl(name)}"]`)) return;
  const element = document.createElement("link");
  element.rel = "stylesheet";
  element.href = vendorUrl(name);
  document.head.prepend(element);
}

async function loadEditorFiles() {
  loadStyle("codemirror.css");
  loadStyle("show-hint.css");
  await loadScript("codemirror.js");
  for (const name of ["javascript.js", "show-hint.js", "matchbrackets.js", "closebrackets.js", "placeholder.js"])
    await loadScript(name);
  return /** @type {any} */ (window).CodeMirror;
}

/** Loads the editor once. After a failure, the next call tries again. */
const loadEditor = () =>
  (editorPromise ??= loadEditorFiles().catch((failure) => {
    editorPromise = undefined;
    throw failure;
  }));

/** Parameter names that are valid identifiers. Others come from a backend and must not become code. */
const PLAIN = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/** The argument list of a tool call. */
function argumentList({ inputSchema }) {
  const names = Object.keys(inputSchema?.properties ?? {}).filter((name) => PLAIN.test(name));
  return names.length ? `({ ${names.join(", ")} })` : "()";
}

/** Completions: tools whose name, in the catalog or in scripts, starts with or contains the text before the cursor. */
function completions(CodeMirror, cm, tools) {
  const cursor = cm.getCursor();
  const before = cm.getLine(cursor.line).slice(0, cursor.ch);
  const typed = /[\p{ID_Continue}$.-]*$/u.exec(before)?.[0] ?? "";
  const unprefixed = typed.replace(/^tools\./, "");
  const memberName = (tool) => tool.call.replace(/^tools\./, "");
  const startsWithTyped = (tool) => tool.name.startsWith(unprefixed) || memberName(tool).startsWith(unprefixed);
  const insertedText = (tool) => (unprefixed === typed ? tool.call : memberName(tool));
  const found = tools
    .filter(
      (tool) =>
        startsWithTyped(tool) ||
        (unprefixed.length > 1 && (tool.name.includes(unprefixed) || memberName(tool).includes(unprefixed))),
    )
    .sort(
      (one, other) =>
        Number(startsWithTyped(other)) - Number(startsWithTyped(one)) || one.name.localeCompare(other.name),
    )
    .slice(0, 40)
    .map((tool) => ({
      text: insertedText(tool) + argumentList(tool),
      render: (row) => {
        const name = document.createElement("span");
        name.textContent = escapeControlsInText(insertedText(tool));
        const summary = document.createElement("span");
        summary.className = "hint-what";
        summary.textContent = escapeControlsInText(tool.description ?? "")
          .split("\n")[0]
          .slice(0, 80);
        row.append(name, summary);
      },
    }));
  return { list: found, from: CodeMirror.Pos(cursor.line, cursor.ch - unprefixed.length), to: cursor };
}

/** @typedef {{ line: number, column?: number, message: string, warning?: boolean }} Problem */

/**
 * @param {{ value: string, onChange: (value: string) => void, onRun?: () => void, label: string, tools?: any[],
 *   problems?: Problem[], mode?: "javascript" | "json", small?: boolean }} props `onRun`: called on Ctrl+Enter
 */
export function Editor({
  value,
  onChange,
  onRun,
  label,
  tools = [],
  problems = [],
  mode = "javascript",
  small = false,
}) {
  const area = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  const cm = useRef(/** @type {any} */ (null));
  const latest = useRef({ value, tools, onRun, onChange, problems });
  latest.current = { value, tools, onRun, onChange, problems };
  useEffect(() => {
    let disposed = false;
    loadEditor().then(
      (CodeMirror) => {
        if (disposed || !area.current) return;
        const instance = CodeMirror.fromTextArea(area.current, {
          mode: mode === "json" ? { name: "javascript", json: true } : { name: "javascript", typescript: true },
          lineNumbers: mode !== "json",
          lineWrapping: true,
          matchBrackets: true,
          autoCloseBrackets: true,
          tabSize: 2,
          indentUnit: 2,
          viewportMargin: small ? Infinity : 30,
          extraKeys: {
            "Ctrl-Enter": () => latest.current.onRun?.(),
            "Cmd-Enter": () => latest.current.onRun?.(),
            "Ctrl-Space": "autocomplete",
            Tab: (it) => (it.somethingSelected() ? it.indentSelection("add") : it.replaceSelection("  ")),
            "Shift-Tab": "indentLess",
            // Tab indents, so the keyboard needs another way out of the editor.
            Esc: (it) => it.getInputField().blur(),
          },
          hintOptions: { hint: (it) => completions(CodeMirror, it, latest.current.tools), completeSingle: false },
        });
        instance.getInputField().setAttribute("aria-label", label);
        // The scrolling area must be reachable by keyboard.
        Object.entries({ tabindex: "0", role: "group", "aria-label": `${label}, scrollable` }).forEach(([name, text]) =>
          instance.getScrollerElement().setAttribute(name, text),
        );
        if (instance.getValue() !== latest.current.value) instance.setValue(latest.current.value);
        // A value set by the page must not be reported back, or the page would set it again.
        instance.on("change", (it, { origin }) => {
          if (origin !== "setValue") latest.current.onChange(it.getValue());
        });
        instance.on("inputRead", (it, change) => {
          if (mode !== "json" && change.text.length === 1 && /^[\w.]$/.test(change.text[0])) it.showHint();
        });
        cm.current = instance;
        markProblems(instance, latest.current.problems);
      },
      () => {
        /* Without the editor, the plain text field is used. */
      },
    );
    return () => {
      disposed = true;
      cm.current?.toTextArea();
      cm.current = null;
    };
  }, []);
  // Synchronously with rendering: a frame later, the user may have typed more, which would be lost.
  useLayoutEffect(() => {
    if (cm.current && cm.current.getValue() !== value) cm.current.setValue(value);
  }, [value]);
  useEffect(() => {
    if (cm.current) markProblems(cm.current, problems);
  }, [JSON.stringify(problems)]);
  return el.div(
    { class: small ? "editor editor-small" : "editor", "data-editor": label },
    el.textarea({
      ref: area,
      "aria-label": label,
      spellcheck: false,
      value,
      onInput: (event) => onChange(event.target.value),
      // The same shortcut works before the editor is loaded, and without it.
      onKeyDown: (event) => {
        if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        onRun?.();
      },
    }),
  );
}

/** Marks the lines with problems. @param {any} cm @param {Problem[]} problems */
function markProblems(cm, problems) {
  cm.getAllMarks().forEach((mark) => mark.className?.startsWith("editor-") && mark.clear());
  for (let line = 0; line < cm.lineCount(); line++) cm.removeLineClass(line, "background", "editor-bad-line");
  problems
    .filter(({ line }) => line > 0 && line <= cm.lineCount())
    .forEach(({ line, column, warning }) => {
      if (!warning) cm.addLineClass(line - 1, "background", "editor-bad-line");
      const from = Math.max(0, (column ?? 1) - 1);
      const word = /^[\w.$-]+/.exec(cm.getLine(line - 1).slice(from));
      cm.markText(
        { line: line - 1, ch: from },
        { line: line - 1, ch: from + (word ? word[0].length : 1) },
        { className: warning ? "editor-mild" : "editor-wrong" },
      );
    });
}
