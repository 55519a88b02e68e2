// The editor for scripts and JSON. CodeMirror is loaded when the first editor is shown.
import { el, useEffect, useLayoutEffect, useRef } from "../lib/dom.js";
import { visibleText } from "../lib/escape.js";

const file = (name) => new URL(`../vendor/${name}`, import.meta.url).href;
/** @type {Promise<any> | undefined} */
let editor;

const script = (name) =>
  new Promise((done, failed) => {
    const element = document.createElement("script");
    element.src = file(name);
    element.onload = done;
    element.onerror = () => {
      element.remove();
      failed(new Error("the editor could not be loaded"));
    };
    document.head.append(element);
  });

function style(name) {
  if (document.querySelector(`link[href="${file(name)}"]`)) return;
  const element = document.createElement("link");
  element.rel = "stylesheet";
  element.href = file(name);
  document.head.prepend(element);
}

async function fetchEditor() {
  style("codemirror.css");
  style("show-hint.css");
  await script("codemirror.js");
  for (const name of ["javascript.js", "show-hint.js", "matchbrackets.js", "closebrackets.js", "placeholder.js"])
    await script(name);
  return window.CodeMirror;
}

/** Loads the editor once. After a failure, the next call tries again. */
const load = () =>
  (editor ??= fetchEditor().catch((failure) => {
    editor = undefined;
    throw failure;
  }));

/** Parameter names that are valid identifiers. Others come from a backend and must not become code. */
const PLAIN = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/** The argument list of a tool call. */
function given({ inputSchema }) {
  const names = Object.keys(inputSchema?.properties ?? {}).filter((name) => PLAIN.test(name));
  return names.length ? `({ ${names.join(", ")} })` : "()";
}

/** Completions: tools whose name, in the catalog or in scripts, starts with or contains the text before the cursor. */
function hints(CodeMirror, cm, tools) {
  const cursor = cm.getCursor();
  const before = cm.getLine(cursor.line).slice(0, cursor.ch);
  const typed = /[\p{ID_Continue}$.-]*$/u.exec(before)[0];
  const bare = typed.replace(/^tools\./, "");
  const own = (tool) => tool.call.replace(/^tools\./, "");
  const begins = (tool) => tool.name.startsWith(bare) || own(tool).startsWith(bare);
  const written = (tool) => (bare === typed ? tool.call : own(tool));
  const found = tools
    .filter((tool) => begins(tool) || (bare.length > 1 && (tool.name.includes(bare) || own(tool).includes(bare))))
    .sort((one, other) => Number(begins(other)) - Number(begins(one)) || one.name.localeCompare(other.name))
    .slice(0, 40)
    .map((tool) => ({
      text: written(tool) + given(tool),
      render: (place) => {
        const name = document.createElement("span");
        name.textContent = visibleText(written(tool));
        const what = document.createElement("span");
        what.className = "hint-what";
        what.textContent = visibleText(tool.description ?? "")
          .split("\n")[0]
          .slice(0, 80);
        place.append(name, what);
      },
    }));
  return { list: found, from: CodeMirror.Pos(cursor.line, cursor.ch - bare.length), to: cursor };
}

/**
 * @param {{ value: string, onChange: (value: string) => void, onRun?: () => void, label: string, tools?: any[],
 *   problems?: { line: number, column?: number, message: string, mild?: boolean }[], mode?: "javascript" | "json" }} props
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
  const area = useRef(null);
  const cm = useRef(null);
  const known = useRef({ value, tools, onRun, onChange, problems });
  known.current = { value, tools, onRun, onChange, problems };
  useEffect(() => {
    let gone = false;
    load().then(
      (CodeMirror) => {
        if (gone || !area.current) return;
        const made = CodeMirror.fromTextArea(area.current, {
          mode: mode === "json" ? { name: "javascript", json: true } : { name: "javascript", typescript: true },
          lineNumbers: mode !== "json",
          lineWrapping: true,
          matchBrackets: true,
          autoCloseBrackets: true,
          tabSize: 2,
          indentUnit: 2,
          viewportMargin: small ? Infinity : 30,
          extraKeys: {
            "Ctrl-Enter": () => known.current.onRun?.(),
            "Cmd-Enter": () => known.current.onRun?.(),
            "Ctrl-Space": "autocomplete",
            Tab: (it) => (it.somethingSelected() ? it.indentSelection("add") : it.replaceSelection("  ")),
            "Shift-Tab": "indentLess",
            // Tab indents, so the keyboard needs another way out of the editor.
            Esc: (it) => it.getInputField().blur(),
          },
          hintOptions: { hint: (it) => hints(CodeMirror, it, known.current.tools), completeSingle: false },
        });
        made.getInputField().setAttribute("aria-label", label);
        // The scrolling area must be reachable by keyboard.
        Object.entries({ tabindex: "0", role: "group", "aria-label": `${label}, scrollable` }).forEach(([name, text]) =>
          made.getScrollerElement().setAttribute(name, text),
        );
        if (made.getValue() !== known.current.value) made.setValue(known.current.value);
        // A value set by the page must not be reported back, or the page would set it again.
        made.on("change", (it, { origin }) => {
          if (origin !== "setValue") known.current.onChange(it.getValue());
        });
        made.on("inputRead", (it, change) => {
          if (mode !== "json" && change.text.length === 1 && /^[\w.]$/.test(change.text[0])) it.showHint();
        });
        cm.current = made;
        show(made, known.current.problems);
      },
      () => {
        /* Without the editor, the plain text field is used. */
      },
    );
    return () => {
      gone = true;
      cm.current?.toTextArea();
      cm.current = null;
    };
  }, []);
  // Synchronously with rendering: a frame later, the user may have typed more, which would be lost.
  useLayoutEffect(() => {
    if (cm.current && cm.current.getValue() !== value) cm.current.setValue(value);
  }, [value]);
  useEffect(() => {
    if (cm.current) show(cm.current, problems);
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

/** Marks the lines with problems. */
function show(cm, problems) {
  cm.getAllMarks().forEach((mark) => mark.className?.startsWith("editor-") && mark.clear());
  for (let line = 0; line < cm.lineCount(); line++) cm.removeLineClass(line, "background", "editor-bad-line");
  problems
    .filter(({ line }) => line > 0 && line <= cm.lineCount())
    .forEach(({ line, column, mild }) => {
      if (!mild) cm.addLineClass(line - 1, "background", "editor-bad-line");
      const from = Math.max(0, (column ?? 1) - 1);
      const word = /^[\w.$-]+/.exec(cm.getLine(line - 1).slice(from));
      cm.markText(
        { line: line - 1, ch: from },
        { line: line - 1, ch: from + (word ? word[0].length : 1) },
        { className: mild ? "editor-mild" : "editor-wrong" },
      );
    });
}
