// An editor for scripts, fetched when it is first needed.
import { el, useEffect, useRef } from "../lib/dom.js";
import { visibleText } from "../lib/text.js";

const file = (name) => new URL(`../vendor/${name}`, import.meta.url).href;
/** @type {Promise<any> | undefined} */
let editor;

const script = (name) => new Promise((done, failed) => {
  const element = document.createElement("script");
  element.src = file(name);
  element.onload = done;
  element.onerror = () => failed(new Error("the editor could not be fetched"));
  document.head.append(element);
});

function style(name) {
  const element = document.createElement("link");
  element.rel = "stylesheet";
  element.href = file(name);
  document.head.prepend(element);
}

async function fetchEditor() {
  style("codemirror.css");
  style("show-hint.css");
  await script("codemirror.js");
  for (const name of ["javascript.js", "show-hint.js", "matchbrackets.js", "closebrackets.js", "placeholder.js"]) await script(name);
  return window.CodeMirror;
}

const load = () => (editor ??= fetchEditor());

/** Names of tools that begin with, or contain, what stands before the cursor. */
function hints(CodeMirror, cm, tools) {
  const cursor = cm.getCursor();
  const before = cm.getLine(cursor.line).slice(0, cursor.ch);
  const typed = /[\w.-]*$/.exec(before)[0];
  const bare = typed.replace(/^tools\./, "");
  const found = tools
    .filter((tool) => tool.name.startsWith(bare) || (bare.length > 1 && tool.name.includes(bare)))
    .sort((one, other) => Number(other.name.startsWith(bare)) - Number(one.name.startsWith(bare)) || one.name.localeCompare(other.name))
    .slice(0, 40)
    .map((tool) => ({
      text: tool.name + (Object.keys(tool.inputSchema?.properties ?? {}).length ? "({ " + Object.keys(tool.inputSchema.properties).join(", ") + " })" : "()"),
      render: (place) => {
        const name = document.createElement("span");
        name.textContent = visibleText(tool.name);
        const what = document.createElement("span");
        what.className = "hint-what";
        what.textContent = visibleText(tool.description ?? "").split("\n")[0].slice(0, 80);
        place.append(name, what);
      },
    }));
  return { list: found, from: CodeMirror.Pos(cursor.line, cursor.ch - bare.length), to: cursor };
}

/**
 * @param {{ value: string, onChange: (value: string) => void, onRun?: () => void, label: string, tools?: any[],
 *   problems?: { line: number, column?: number, message: string, mild?: boolean }[], mode?: "javascript" | "json" }} props
 */
export function Editor({ value, onChange, onRun, label, tools = [], problems = [], mode = "javascript", small = false }) {
  const area = useRef(null);
  const cm = useRef(null);
  const known = useRef({ tools, onRun, onChange, problems });
  known.current = { tools, onRun, onChange, problems };
  useEffect(() => {
    let gone = false;
    load().then((CodeMirror) => {
      if (gone || !area.current) return;
      const made = CodeMirror.fromTextArea(area.current, {
        mode: mode === "json" ? { name: "javascript", json: true } : { name: "javascript", typescript: true },
        lineNumbers: mode !== "json", lineWrapping: true, matchBrackets: true, autoCloseBrackets: true, tabSize: 2, indentUnit: 2,
        viewportMargin: small ? Infinity : 30,
        extraKeys: {
          "Ctrl-Enter": () => known.current.onRun?.(), "Cmd-Enter": () => known.current.onRun?.(),
          "Ctrl-Space": "autocomplete",
          Tab: (it) => (it.somethingSelected() ? it.indentSelection("add") : it.replaceSelection("  ")), "Shift-Tab": "indentLess",
          // The keyboard must find its way out.
          Esc: (it) => it.getInputField().blur(),
        },
        hintOptions: { hint: (it) => hints(CodeMirror, it, known.current.tools), completeSingle: false },
      });
      made.getInputField().setAttribute("aria-label", label);
      // What scrolls must be reached without a mouse, too.
      Object.entries({ tabindex: "0", role: "group", "aria-label": `${label}, scrolled` }).forEach(([name, text]) => made.getScrollerElement().setAttribute(name, text));
      made.on("change", () => known.current.onChange(made.getValue()));
      made.on("inputRead", (it, change) => {
        if (mode !== "json" && change.text.length === 1 && /^[\w.]$/.test(change.text[0])) it.showHint();
      });
      cm.current = made;
      show(made, known.current.problems);
    }, () => { /* The plain field does the work, too. */ });
    return () => { gone = true; cm.current?.toTextArea(); cm.current = null; };
  }, []);
  useEffect(() => {
    if (cm.current && cm.current.getValue() !== value) cm.current.setValue(value);
  }, [value]);
  useEffect(() => { if (cm.current) show(cm.current, problems); }, [JSON.stringify(problems)]);
  return el.div({ class: small ? "editor editor-small" : "editor", "data-editor": label },
    el.textarea({ ref: area, "aria-label": label, spellcheck: false, defaultValue: value, onInput: (event) => onChange(event.target.value) }));
}

/** Marks the lines that something is wrong with. */
function show(cm, problems) {
  cm.getAllMarks().forEach((mark) => mark.className?.startsWith("editor-") && mark.clear());
  for (let line = 0; line < cm.lineCount(); line++) cm.removeLineClass(line, "background", "editor-bad-line");
  problems.filter(({ line }) => line > 0 && line <= cm.lineCount()).forEach(({ line, column, mild }) => {
    if (!mild) cm.addLineClass(line - 1, "background", "editor-bad-line");
    const from = Math.max(0, (column ?? 1) - 1);
    const word = /^[\w.$-]+/.exec(cm.getLine(line - 1).slice(from));
    cm.markText({ line: line - 1, ch: from }, { line: line - 1, ch: from + (word ? word[0].length : 1) }, { className: mild ? "editor-mild" : "editor-wrong" });
  });
}
