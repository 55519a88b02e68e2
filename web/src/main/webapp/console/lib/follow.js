// An execution as it happens.
import { everyEvent, get, query } from "./api.js";
import { useEffect, useRef, useState } from "./dom.js";
import { TERMINAL } from "./states.js";

const LONGEST_OUTPUT = 1_000_000;
const DRAW_EVERY = 100;
const ASK_EVERY = 3_000;

const parse = (event) => JSON.parse(event.data);

/**
 * The execution, its trace and output: as stored, then as server-sent events tell.
 *
 * @param {string} id
 */
export function useExecution(id) {
  const [state, setState] = useState(/** @type {any} */ ({ execution: undefined, events: [], output: "", errorOutput: "", failure: undefined, live: false }));
  const data = useRef(state);
  useEffect(() => {
    let gone = false;
    let asking = 0;
    let drawing = 0;
    /** @type {EventSource | null} */
    let source = null;
    const draw = () => { drawing ||= setTimeout(() => { drawing = 0; if (!gone) setState({ ...data.current }); }, DRAW_EVERY); };
    const change = (changes) => { data.current = { ...data.current, ...changes }; draw(); };

    const look = async () => {
      try {
        const execution = await get(`/executions/${id}`);
        if (gone) return;
        const changes = { execution, failure: undefined };
        if (!data.current.live) Object.assign(changes, { output: execution.output, errorOutput: execution.errorOutput });
        if (TERMINAL.has(execution.state) || !data.current.live) {
          const trace = await everyEvent(`/executions/${id}/trace`);
          Object.assign(changes, { events: trace.events, cut: trace.cut });
        }
        if (TERMINAL.has(execution.state)) {
          Object.assign(changes, { output: execution.output, errorOutput: execution.errorOutput, live: false });
          source?.close();
          source = null;
        }
        change(changes);
      } catch (failure) {
        if (!gone) change({ failure });
      }
      if (!gone && !TERMINAL.has(data.current.execution?.state)) asking = setTimeout(look, ASK_EVERY);
    };

    const more = (member) => (event) => {
      const { offset, text } = parse(event);
      const there = data.current[member];
      if (offset > there.length || there.length > LONGEST_OUTPUT) return;
      change({ [member]: there.slice(0, offset) + text });
    };
    const follow = () => {
      const { events, output, errorOutput } = data.current;
      const from = query({ after: events[events.length - 1]?.seq, outputOffset: output.length, errorOffset: errorOutput.length });
      source = new EventSource(`/api/v1/executions/${id}/events${from}`);
      source.addEventListener("open", () => change({ live: true }));
      source.addEventListener("output", more("output"));
      source.addEventListener("error-output", more("errorOutput"));
      source.addEventListener("trace", (event) => {
        const added = parse(event);
        if (!data.current.events.some(({ seq }) => seq === added.seq)) change({ events: [...data.current.events, added].sort((a, b) => a.seq - b.seq) });
      });
      source.addEventListener("state", (event) => {
        const { state, attempt } = parse(event);
        if (data.current.execution) change({ execution: { ...data.current.execution, state: TERMINAL.has(state) ? data.current.execution.state : state, attempt } });
      });
      source.addEventListener("result", () => { source?.close(); clearTimeout(asking); look(); });
      source.onerror = () => {
        change({ live: false });
        // Refused for good: asking goes on in its place.
        if (source?.readyState === EventSource.CLOSED) source = null;
      };
    };

    data.current = { execution: undefined, events: [], output: "", errorOutput: "", failure: undefined, live: false };
    look().then(() => { if (!gone && data.current.execution && !TERMINAL.has(data.current.execution.state)) follow(); });
    return () => { gone = true; source?.close(); clearTimeout(asking); clearTimeout(drawing); };
  }, [id]);
  return state;
}
