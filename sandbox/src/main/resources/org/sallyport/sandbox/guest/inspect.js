// Text of values for the console, in the shape that authors know from Node. Read on first use.
(function (kit) {
  'use strict';
  const { host } = kit;
  const WIDTH = 80;
  const DEPTH = 2;
  const MAX_ITEMS = 100;
  const MAX_STRING = 10000;
  const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
  const ESCAPES = { '\b': '\\b', '\t': '\\t', '\n': '\\n', '\f': '\\f', '\r': '\\r', '\\': '\\\\', '\x0B': '\\x0B' };

  function quoted(text) {
    const quote = !text.includes("'") ? "'" : !text.includes('"') ? '"' : !text.includes('`') && !text.includes('${') ? '`' : "'";
    let out = quote;
    for (let i = 0; i < text.length; i++) {
      const char = text[i];
      const code = text.charCodeAt(i);
      if (char === quote) out += '\\' + char;
      else if (char in ESCAPES) out += ESCAPES[char];
      else if (code < 32 || (code >= 127 && code < 160)) out += '\\x' + code.toString(16).toUpperCase().padStart(2, '0');
      else if (code >= 0xd800 && code <= 0xdfff) {
        const pair = code < 0xdc00 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00;
        out += pair ? char + text[++i] : '\\u' + code.toString(16).toUpperCase();
      } else out += char;
    }
    return out + quote;
  }

  function number(value) {
    return Object.is(value, -0) ? '-0' : String(value);
  }

  function typeName(value) {
    for (let at = value; at !== null; at = Object.getPrototypeOf(at)) {
      const found = Object.getOwnPropertyDescriptor(at, 'constructor');
      if (found !== undefined && typeof found.value === 'function' && found.value.name !== '') return found.value.name;
    }
    return null;
  }

  function functionText(value) {
    const isClass = /^class\b/.test(Function.prototype.toString.call(value));
    const name = value.name;
    if (isClass) {
      const parent = Object.getPrototypeOf(value);
      const extended = parent !== Function.prototype && parent?.name ? ' extends ' + parent.name : '';
      return '[class ' + (name === '' ? '(anonymous)' : name) + extended + ']';
    }
    const kind = Object.prototype.toString.call(value).slice(8, -1);
    return '[' + kind + (name === '' ? ' (anonymous)' : ': ' + name) + ']';
  }

  class Writer {
    constructor(depth) {
      this.depth = depth;
      this.open = [];
      this.circular = new Map();
      this.indent = 0;
      this.deepest = 0;
    }

    value(value, level, nested) {
      switch (typeof value) {
        case 'string': return this.string(value, nested);
        case 'number': return number(value);
        case 'bigint': return value + 'n';
        case 'symbol': return value.toString();
        case 'undefined': case 'boolean': return String(value);
        case 'function': return Object.keys(value).length === 0 ? functionText(value) : this.object(value, level);
      }
      return value === null ? 'null' : this.object(value, level);
    }

    string(text) {
      const cut = text.length > MAX_STRING ? '... ' + (text.length - MAX_STRING) + ' more characters' : '';
      return quoted(cut === '' ? text : text.slice(0, MAX_STRING)) + cut;
    }

    object(value, level) {
      if (this.open.includes(value)) {
        if (!this.circular.has(value)) this.circular.set(value, this.circular.size + 1);
        return '[Circular *' + this.circular.get(value) + ']';
      }
      const shape = this.shapeOf(value);
      if (shape.whole !== undefined && shape.keys.length === 0) return shape.whole;
      if (shape.keys.length === 0 && this.isEmpty(value)) return shape.open + shape.close;
      if (level > this.depth) return '[' + (Array.isArray(value) ? 'Array' : shape.type ?? 'Object: null prototype') + ']';
      this.open.push(value);
      this.deepest = level;
      this.indent += 2;
      const items = shape.items === undefined ? [] : shape.items(level + 1);
      for (const key of shape.keys) items.push(this.member(value, key, level + 1));
      this.indent -= 2;
      this.open.pop();
      const reference = this.circular.has(value) ? '<ref *' + this.circular.get(value) + '> ' : '';
      return reference + this.layout(shape, items, level);
    }

    isEmpty(value) {
      if (Array.isArray(value)) return value.length === 0;
      const tag = Object.prototype.toString.call(value).slice(8, -1);
      return tag === 'Map' || tag === 'Set' ? value.size === 0 : tag !== 'Error' && tag !== 'ArrayBuffer' && !ArrayBuffer.isView(value);
    }

    member(value, key, level) {
      const found = Object.getOwnPropertyDescriptor(value, key);
      const name = typeof key === 'symbol' ? '[' + key.toString() + ']' : IDENTIFIER.test(key) ? key : quoted(key);
      if (found === undefined) return name + ': undefined';
      if (found.get !== undefined) return name + ': ' + (found.set === undefined ? '[Getter]' : '[Getter/Setter]');
      if (found.set !== undefined) return name + ': [Setter]';
      return name + ': ' + this.value(found.value, level, true);
    }

    keysOf(value) {
      const symbols = Object.getOwnPropertySymbols(value).filter((key) => Object.prototype.propertyIsEnumerable.call(value, key));
      return Object.keys(value).concat(symbols);
    }

    shapeOf(value) {
      const type = typeName(value);
      const prefix = (plain) => (type === plain ? '' : (type ?? '[' + plain + ': null prototype]') + ' ');
      if (Array.isArray(value)) {
        const keys = this.keysOf(value).filter((key) => typeof key === 'symbol' || !/^(?:0|[1-9]\d*)$/.test(key));
        const head = type === 'Array' ? '' : (type ?? '[Array: null prototype]') + '(' + value.length + ') ';
        return { type, keys, open: head + '[', close: ']', list: true, items: (level) => this.elements(value, level) };
      }
      const tag = Object.prototype.toString.call(value).slice(8, -1);
      const keys = this.keysOf(value);
      if (typeof value === 'function') return { type, keys, base: functionText(value), open: '{', close: '}' };
      switch (tag) {
        case 'Error': return this.errorShape(value, keys);
        case 'Date': return { type, keys, whole: isNaN(value) ? 'Invalid Date' : value.toISOString(), base: 'Date', open: '{', close: '}' };
        case 'RegExp': return { type, keys, whole: String(value), base: String(value), open: '{', close: '}' };
        case 'Number': case 'String': case 'Boolean': {
          const text = '[' + tag + ': ' + this.value(value.valueOf(), 0, true) + ']';
          const own = tag === 'String' ? keys.filter((key) => !/^\d+$/.test(key)) : keys;
          return { type, keys: own, whole: text, base: text, open: '{', close: '}' };
        }
        case 'Promise': return { type, keys, open: 'Promise {', close: '}' };
        case 'Map': return { type, keys, open: `Map(${value.size}) {`, close: '}', items: (level) => this.entries(value, level) };
        case 'Set': return { type, keys, open: `Set(${value.size}) {`, close: '}', items: (level) => this.members(value, level) };
        case 'WeakMap': case 'WeakSet': return { type, keys, whole: tag + ' { <items unknown> }', open: '{', close: '}' };
        case 'ArrayBuffer': return { type, keys, open: 'ArrayBuffer {', close: '}', items: () => ['byteLength: ' + value.byteLength] };
      }
      if (ArrayBuffer.isView(value) && typeof value.length === 'number') {
        const own = keys.filter((key) => typeof key === 'symbol' || !/^\d+$/.test(key));
        return { type, keys: own, open: `${type}(${value.length}) [`, close: ']', list: true, items: (level) => this.elements(value, level) };
      }
      const custom = tag !== 'Object' && tag !== type ? '[' + tag + '] ' : '';
      return { type, keys, open: prefix('Object') + custom + '{', close: '}' };
    }

    errorShape(value, keys) {
      const stack = typeof value.stack === 'string' && value.stack !== '' ? host('stack', value.stack) : '';
      const text = stack === '' ? '[' + String(value) + ']' : stack;
      const shown = keys.filter((key) => !['stack', 'message', 'name'].includes(key));
      const padded = this.indent === 0 ? text : text.replace(/\n/g, '\n' + ' '.repeat(this.indent));
      const withCause = Object.hasOwn(value, 'cause') && !shown.includes('cause');
      const items = withCause ? (level) => ['[cause]: ' + this.value(value.cause, level, true)] : undefined;
      return { type: typeName(value), keys: shown, whole: withCause ? undefined : padded, base: padded, open: '{', close: '}', items };
    }

    elements(value, level) {
      const out = [];
      const shown = Math.min(value.length, MAX_ITEMS);
      for (let i = 0; i < shown; i++) {
        if (!Object.hasOwn(value, i)) {
          let end = i;
          while (end < value.length && !Object.hasOwn(value, end) && end - i < 1000000) end++;
          out.push(`<${end - i} empty item${end - i > 1 ? 's' : ''}>`);
          i = end - 1;
        } else out.push(this.value(value[i], level, true));
      }
      const left = value.length - shown;
      if (left > 0) out.push(`... ${left} more item${left > 1 ? 's' : ''}`);
      return out;
    }

    members(set, level) {
      const out = [];
      for (const item of set) {
        if (out.length === MAX_ITEMS) {
          out.push(`... ${set.size - MAX_ITEMS} more items`);
          break;
        }
        out.push(this.value(item, level, true));
      }
      return out;
    }

    entries(map, level) {
      const out = [];
      for (const [key, item] of map) {
        if (out.length === MAX_ITEMS) {
          out.push(`... ${map.size - MAX_ITEMS} more items`);
          break;
        }
        out.push(this.value(key, level, true) + ' => ' + this.value(item, level, true));
      }
      return out;
    }

    // One line while it is short and not nested too deeply, else one item a line.
    layout(shape, items, level) {
      const base = shape.base === undefined ? '' : shape.base + ' ';
      if (items.length === 0) return base === '' ? shape.open + shape.close : shape.base + ' ' + shape.open + shape.close;
      const rows = shape.list && items.length > 6 ? this.columns(items) : items;
      if (this.deepest - level < 3 && rows === items) {
        const length = items.reduce((sum, item) => sum + item.length, 0) + items.length * 2 + this.indent + shape.open.length + (shape.base ?? '').length + 10;
        if (length <= WIDTH && !items.some((item) => item.includes('\n')) && !base.includes('\n')) {
          return `${base}${shape.open} ${items.join(', ')} ${shape.close}`;
        }
      }
      const pad = '\n' + ' '.repeat(this.indent);
      return `${base}${shape.open}${pad}  ${rows.join(',' + pad + '  ')}${pad}${shape.close}`;
    }

    // Many short items of a list stand in columns.
    columns(items) {
      const counted = items[items.length - 1].startsWith('... ') ? items.length - 1 : items.length;
      const lengths = items.slice(0, counted).map((item) => item.length + 2);
      const total = lengths.reduce((sum, length) => sum + length, 0);
      const widest = Math.max(...lengths);
      if (widest * 3 + this.indent >= WIDTH || !(total / widest > 5 || widest <= 8)) return items;
      if (items.some((item) => item.includes('\n'))) return items;
      const bias = Math.sqrt(widest - total / items.length);
      const average = Math.max(widest - 3 - bias, 1);
      const count = Math.min(Math.round(Math.sqrt(2.5 * average * counted) / average), Math.floor((WIDTH - this.indent) / widest), 12);
      if (count <= 1) return items;
      const widths = [];
      for (let column = 0; column < count; column++) {
        let width = 0;
        for (let i = column; i < counted; i += count) width = Math.max(width, lengths[i]);
        widths.push(width);
      }
      const numeric = items.slice(0, counted).every((item) => /^-?[\d.]+(?:e[+-]?\d+)?n?$/.test(item));
      const rows = [];
      for (let start = 0; start < counted; start += count) {
        const end = Math.min(start + count, counted);
        let row = '';
        for (let i = start; i < end; i++) {
          const last = i === end - 1;
          const text = last ? items[i] : items[i] + ', ';
          const width = last ? widths[i - start] - 2 : widths[i - start];
          row += numeric ? text.padStart(width) : last ? text : text.padEnd(width);
        }
        rows.push(row);
      }
      if (counted < items.length) rows.push(items[counted]);
      return rows;
    }
  }

  function inspect(value, depth = DEPTH) {
    return new Writer(depth).value(value, 0, true);
  }

  function shown(value) {
    return typeof value === 'string' ? value : inspect(value);
  }

  function directive(letter, value) {
    switch (letter) {
      case 's':
        if (typeof value === 'bigint') return value + 'n';
        if (typeof value === 'number') return number(value);
        return typeof value === 'object' && value !== null && !(value instanceof Error) ? inspect(value, 0) : String(value);
      case 'd': return typeof value === 'bigint' ? value + 'n' : typeof value === 'object' ? 'NaN' : number(Number(value));
      case 'i': return typeof value === 'bigint' ? value + 'n' : typeof value === 'object' ? 'NaN' : number(parseInt(value, 10));
      case 'f': return typeof value === 'symbol' ? 'NaN' : number(parseFloat(value));
      case 'j': return JSON.stringify(value);
      case 'o': return inspect(value, 4);
      case 'O': return inspect(value);
      default: return '';
    }
  }

  function format(values) {
    let next = 0;
    let text = '';
    if (typeof values[0] === 'string') {
      next = 1;
      text = values.length === 1 ? values[0] : values[0].replace(/%([sdifjoOc%])/g, (found, letter) => {
        if (letter === '%') return '%';
        return next < values.length ? directive(letter, values[next++]) : found;
      });
    } else if (values.length > 0) text = shown(values[next++]);
    while (next < values.length) text += ' ' + shown(values[next++]);
    return text;
  }

  function indented(text, indent) {
    return indent + text.replace(/\n/g, '\n' + indent);
  }

  return { format, inspect, indented };
})
