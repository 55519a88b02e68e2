// console.table. Loaded on first use.
(function (kit) {
  "use strict";
  const inspectCell = (value) => kit.part("inspect").inspect(value, 0);
  const WIDE = /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]$/;
  const WIDE_MORE = /^[\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]$/u;
  const MARK = /^[\u0300-\u036f\u200b-\u200f\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f]$/;
  const MAX_ROWS = 1000;
  const MAX_COLUMNS = 100;

  function width(text) {
    let columns = 0;
    for (const char of text) columns += MARK.test(char) ? 0 : WIDE.test(char) || WIDE_MORE.test(char) ? 2 : 1;
    return columns;
  }

  function render(head, rows) {
    const widths = head.map(
      (title, i) => rows.reduce((most, row) => Math.max(most, width(row[i] ?? "")), width(title)) + 2,
    );
    const line = (row) =>
      "│" + row.map((cell, i) => " " + cell + " ".repeat(widths[i] - width(cell) - 1)).join("│") + "│";
    const rule = (left, middle, right) => left + widths.map((count) => "─".repeat(count)).join(middle) + right;
    return [rule("┌", "┬", "┐"), line(head), rule("├", "┼", "┤"), ...rows.map(line), rule("└", "┴", "┘")].join("\n");
  }

  function rowsOf(data) {
    if (data instanceof Map)
      return {
        title: "(iteration index)",
        entries: [...data].slice(0, MAX_ROWS).map((pair, i) => [String(i), pair]),
        map: true,
      };
    if (data instanceof Set)
      return {
        title: "(iteration index)",
        entries: [...data].slice(0, MAX_ROWS).map((item, i) => [String(i), item]),
        set: true,
      };
    return {
      title: "(index)",
      entries: Object.keys(data)
        .slice(0, MAX_ROWS)
        .map((key) => [key, data[key]]),
    };
  }

  function draw(data, columns) {
    const { title, entries, map, set } = rowsOf(data);
    if (map)
      return render(
        [title, "Key", "Values"],
        entries.map(([i, [key, value]]) => [i, inspectCell(key), inspectCell(value)]),
      );
    if (set)
      return render(
        [title, "Values"],
        entries.map(([i, value]) => [i, inspectCell(value)]),
      );
    const names = new Set();
    let primitives = false;
    const rows = entries.map(([index, row]) => {
      const cells = new Map();
      if ((typeof row !== "object" && typeof row !== "function") || row === null) {
        primitives = true;
        return { index, cells, value: inspectCell(row) };
      }
      const keys = columns ?? Object.keys(row);
      for (const key of keys) {
        if (names.size < MAX_COLUMNS) names.add(key);
        if (Object.hasOwn(row, key)) cells.set(key, inspectCell(row[key]));
      }
      return { index, cells, value: undefined };
    });
    const head = [title, ...names, ...(primitives ? ["Values"] : [])];
    return render(
      head,
      rows.map(({ index, cells, value }) => [
        index,
        ...[...names].map((name) => cells.get(name) ?? ""),
        ...(primitives ? [value ?? ""] : []),
      ]),
    );
  }

  return { draw };
});
