// URL and URLSearchParams as the URL Standard (url.spec.whatwg.org) defines them. Loaded on first use.
(function (kit) {
  "use strict";
  const { host: ask, TypeErrorOf } = kit;
  const PORTS = { __proto__: null, "ftp:": 21, "file:": null, "http:": 80, "https:": 443, "ws:": 80, "wss:": 443 };
  const MAX_URL = 100000;

  // ---- percent-encoding: characters that each part escapes, besides control characters and all above ~ -------------

  const FRAGMENT = ' "<>`';
  const QUERY = ' "#<>';
  const SPECIAL_QUERY = QUERY + "'";
  const PATH = QUERY + "?`{}^";
  const USER = PATH + "/:;=@[\\]|";
  const FORM_KEEPS = /[A-Za-z0-9*\-._]/;
  const encoder = new TextEncoder();

  function bytesToPercent(text) {
    let out = "";
    for (const byte of encoder.encode(text)) out += "%" + (byte < 16 ? "0" : "") + byte.toString(16).toUpperCase();
    return out;
  }

  function escaped(text, set) {
    let out = "";
    for (const char of text) out += char <= "\x1f" || char > "~" || set.includes(char) ? bytesToPercent(char) : char;
    return out;
  }

  function unescaped(text) {
    const bytes = [];
    const raw = encoder.encode(text);
    for (let i = 0; i < raw.length; i++) {
      const hex = raw[i] === 37 ? String.fromCharCode(raw[i + 1] ?? 0, raw[i + 2] ?? 0) : "";
      if (/^[0-9A-Fa-f]{2}$/.test(hex)) {
        bytes.push(parseInt(hex, 16));
        i += 2;
      } else bytes.push(raw[i]);
    }
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(bytes));
  }

  // ---- hosts -------------------------------------------------------------------------------------------------------

  const FORBIDDEN_HOST = /[\0\t\n\r #/:<>?@[\\\]^|]/;
  const FORBIDDEN_DOMAIN = /[\0-\x20"#%/:<>?@[\\\]^`{|}\x7f]/;

  function ipv4Number(text) {
    if (text === "") return NaN;
    if (/^0[xX][0-9A-Fa-f]*$/.test(text)) return text.length === 2 ? 0 : parseInt(text.slice(2), 16);
    if (/^0[0-7]*$/.test(text)) return text === "0" ? 0 : parseInt(text, 8);
    return /^[1-9][0-9]*$/.test(text) ? parseInt(text, 10) : NaN;
  }

  function endsInNumber(domain) {
    const parts = domain.split(".");
    if (parts[parts.length - 1] === "") {
      if (parts.length === 1) return false;
      parts.pop();
    }
    const last = parts[parts.length - 1];
    return /^[0-9]+$/.test(last) || /^0[xX][0-9A-Fa-f]*$/.test(last);
  }

  function ipv4(domain) {
    const parts = domain.split(".");
    if (parts[parts.length - 1] === "" && parts.length > 1) parts.pop();
    const numbers = parts.map(ipv4Number);
    const last = numbers[numbers.length - 1];
    if (numbers.length > 4 || numbers.some((value) => Number.isNaN(value))) return undefined;
    if (numbers.slice(0, -1).some((value) => value > 255) || last >= 256 ** (5 - numbers.length)) return undefined;
    let value = last;
    numbers.slice(0, -1).forEach((part, i) => {
      value += part * 256 ** (3 - i);
    });
    return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".");
  }

  function ipv6(text) {
    let tail = [];
    const dotted = /^(.*:)([^:]*\.[^:]*)$/.exec(text);
    let head = text;
    if (dotted !== null) {
      if (!/^(?:(?:0|[1-9]\d{0,2})\.){3}(?:0|[1-9]\d{0,2})$/.test(dotted[2])) return undefined;
      const bytes = dotted[2].split(".").map(Number);
      if (bytes.some((byte) => byte > 255)) return undefined;
      tail = [bytes[0] * 256 + bytes[1], bytes[2] * 256 + bytes[3]];
      head = dotted[1].endsWith("::") ? dotted[1] : dotted[1].slice(0, -1);
    }
    const halves = head.split("::");
    if (halves.length > 2) return undefined;
    const pieces = (half) => (half === "" ? [] : half.split(":"));
    const [left, right] = [pieces(halves[0]), halves.length === 2 ? pieces(halves[1]) : []];
    if ([...left, ...right].some((piece) => !/^[0-9A-Fa-f]{1,4}$/.test(piece))) return undefined;
    const missing = 8 - left.length - right.length - tail.length;
    if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
    const numbers = [
      ...left.map((piece) => parseInt(piece, 16)),
      ...new Array(halves.length === 2 ? missing : 0).fill(0),
      ...right.map((piece) => parseInt(piece, 16)),
      ...tail,
    ];
    return "[" + compressed(numbers) + "]";
  }

  function compressed(numbers) {
    let best = { at: -1, length: 1 };
    for (let i = 0; i < 8; i++) {
      let length = 0;
      while (i + length < 8 && numbers[i + length] === 0) length++;
      if (length > best.length) best = { at: i, length };
      i += length;
    }
    const hex = numbers.map((value) => value.toString(16));
    if (best.at < 0) return hex.join(":");
    return hex.slice(0, best.at).join(":") + "::" + hex.slice(best.at + best.length).join(":");
  }

  function hostOf(text, special) {
    if (text.startsWith("[")) return text.endsWith("]") ? ipv6(text.slice(1, -1)) : undefined;
    if (!special) return FORBIDDEN_HOST.test(text) ? undefined : escaped(text, "");
    const plain = unescaped(text);
    const domain =
      /^[\x00-\x7f]*$/.test(plain) && !/(^|\.)xn--/i.test(plain)
        ? plain.toLowerCase()
        : ask(
            "ascii-host",
            plain
              .normalize("NFKC")
              .replace(/[\u3002\uff0e\uff61]/g, ".")
              .replace(/\u00ad/g, "")
              .toLowerCase(),
          ).toLowerCase();
    if (domain === "" || FORBIDDEN_DOMAIN.test(domain)) return undefined;
    return endsInNumber(domain) ? ipv4(domain) : domain;
  }

  // ---- parts of a URL: the protocol has its colon; the path is a list, or a string if it is opaque -----------------

  const isDriveLetter = (text) => /^[A-Za-z][:|]$/.test(text);
  const startsWithDrive = (text) => /^[A-Za-z][:|](?:[/\\?#]|$)/.test(text);

  function failed(url, base) {
    const error = new TypeErrorOf("Invalid URL");
    error.code = "ERR_INVALID_URL";
    error.input = url;
    if (base !== undefined) error.base = base;
    return error;
  }

  function cut(text) {
    const hash = text.indexOf("#");
    const fragment = hash < 0 ? null : text.slice(hash + 1);
    const before = hash < 0 ? text : text.slice(0, hash);
    const mark = before.indexOf("?");
    return {
      path: mark < 0 ? before : before.slice(0, mark),
      query: mark < 0 ? null : before.slice(mark + 1),
      fragment,
    };
  }

  function parse(input, base) {
    const text = input.replace(/^[\0-\x20]+|[\0-\x20]+$/g, "").replace(/[\t\n\r]/g, "");
    if (text.length > MAX_URL) return undefined;
    const scheme = /^([A-Za-z][A-Za-z0-9+\-.]*):/.exec(text);
    if (scheme === null) return base === undefined ? undefined : relative(text, base);
    const protocol = scheme[1].toLowerCase() + ":";
    const rest = text.slice(scheme[0].length);
    const url = { protocol, username: "", password: "", host: null, port: null, path: [], query: null, fragment: null };
    if (!(protocol in PORTS)) return plain(url, rest);
    if (base !== undefined && base.protocol === protocol && protocol !== "file:" && !/^[/\\]{2}/.test(rest))
      return relative(rest, base);
    if (protocol === "file:") return file(url, rest, base?.protocol === "file:" ? base : undefined);
    return authority(url, rest.replace(/^[/\\]*/, ""));
  }

  function plain(url, rest) {
    if (rest.startsWith("//")) return authority(url, rest.slice(2));
    const { path, query, fragment } = cut(rest);
    if (path.startsWith("/")) return finished(url, path, query, fragment);
    url.path = escaped(path, "");
    return finished(url, null, query, fragment);
  }

  function authority(url, rest) {
    const special = url.protocol in PORTS;
    const end = rest.search(special ? /[/\\?#]/ : /[/?#]/);
    const all = end < 0 ? rest : rest.slice(0, end);
    const at = all.lastIndexOf("@");
    if (at >= 0) {
      const colon = all.slice(0, at).indexOf(":");
      url.username = escaped(all.slice(0, colon < 0 ? at : colon), USER);
      url.password = colon < 0 ? "" : escaped(all.slice(colon + 1, at), USER);
    }
    if (!hostAndPort(url, all.slice(at + 1), at >= 0)) return undefined;
    const { path, query, fragment } = cut(end < 0 ? "" : rest.slice(end));
    return finished(url, path, query, fragment);
  }

  function hostAndPort(url, text, credentials) {
    const special = url.protocol in PORTS;
    const match = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/s.exec(text);
    if (match === null || (match[1] === "" && (special || credentials || match[2] !== undefined))) return false;
    const name = match[1] === "" ? "" : hostOf(match[1], special);
    if (name === undefined) return false;
    url.host = name;
    return match[2] === undefined || match[2] === "" || portOf(url, match[2]);
  }

  function portOf(url, text) {
    if (!/^[0-9]+$/.test(text) || Number(text) > 65535) return false;
    url.port = Number(text) === PORTS[url.protocol] ? null : Number(text);
    return true;
  }

  function file(url, rest, base) {
    url.host = "";
    if (/^[/\\]{2}/.test(rest)) {
      const end = rest.slice(2).search(/[/\\?#]/);
      const name = end < 0 ? rest.slice(2) : rest.slice(2, end + 2);
      const more = end < 0 ? "" : rest.slice(end + 2);
      const { path, query, fragment } = cut(isDriveLetter(name) ? rest.slice(2) : more);
      if (!isDriveLetter(name) && name !== "") {
        const parsed = hostOf(name, true);
        if (parsed === undefined) return undefined;
        url.host = parsed === "localhost" ? "" : parsed;
      }
      return finished(url, path, query, fragment);
    }
    const { path, query, fragment } = cut(rest);
    if (/^[/\\]/.test(rest)) {
      if (base !== undefined) {
        url.host = base.host;
        if (!startsWithDrive(rest.slice(1)) && /^[A-Za-z]:$/.test(base.path[0] ?? "")) url.path = [base.path[0]];
      }
      return finished(url, path, query, fragment);
    }
    if (base === undefined) return finished(url, path, query, fragment);
    url.host = base.host;
    if (path === "") {
      url.path = base.path.slice();
      return finished(url, null, query ?? (rest === "" || rest[0] === "#" ? undefined : null), fragment, base.query);
    }
    url.path = startsWithDrive(rest) ? [] : base.path.slice(0, -1);
    return finished(url, path, query, fragment);
  }

  function relative(text, base) {
    if (typeof base.path === "string" && text[0] !== "#") return undefined;
    if (base.protocol === "file:") return file({ ...base, path: [], query: null, fragment: null }, text, base);
    const special = base.protocol in PORTS;
    const slashes = special ? /^[/\\]{2}/ : /^\/\//;
    const url = {
      ...base,
      path: Array.isArray(base.path) ? base.path.slice() : base.path,
      query: null,
      fragment: null,
    };
    if (slashes.test(text)) {
      Object.assign(url, { username: "", password: "", port: null, path: [] });
      return authority(url, special ? text.replace(/^[/\\]*/, "") : text.slice(2));
    }
    const { path, query, fragment } = cut(text);
    if (path === "") return finished(url, null, query ?? undefined, fragment, base.query);
    url.path = (special ? /^[/\\]/ : /^\//).test(path) ? [] : url.path.slice(0, -1);
    return finished(url, path, query, fragment);
  }

  // Adds a path (relative to the existing one), a query (undefined for the inherited one) and a fragment.
  function finished(url, path, query, fragment, inherited) {
    const special = url.protocol in PORTS;
    if (path !== null) walk(url, path, special);
    url.query =
      query === undefined
        ? (inherited ?? null)
        : query === null
          ? null
          : escaped(query, special ? SPECIAL_QUERY : QUERY);
    url.fragment = fragment === null ? null : escaped(fragment, FRAGMENT);
    if (typeof url.path === "string" && query === null && fragment === null) url.path = url.path.replace(/ +$/, "");
    return url;
  }

  function walk(url, path, special) {
    if (path === "" && !special) return;
    const segments = path.split(special ? /[/\\]/ : "/");
    if (segments.length > 1 && segments[0] === "") segments.shift();
    segments.forEach((segment, i) => {
      const last = i === segments.length - 1;
      const plain = segment.replace(/%2e/gi, ".");
      if (plain === "..") {
        if (!(url.protocol === "file:" && url.path.length === 1 && /^[A-Za-z]:$/.test(url.path[0]))) url.path.pop();
        if (last) url.path.push("");
      } else if (plain === ".") {
        if (last) url.path.push("");
      } else {
        const drive = url.protocol === "file:" && url.path.length === 0 && isDriveLetter(segment);
        url.path.push(drive ? segment[0] + ":" : escaped(segment, PATH));
      }
    });
  }

  function pathText(url) {
    return typeof url.path === "string" ? url.path : url.path.length === 0 ? "" : "/" + url.path.join("/");
  }

  function hrefOf(url) {
    let text = url.protocol;
    if (url.host !== null) {
      text += "//";
      if (url.username !== "" || url.password !== "")
        text += url.username + (url.password === "" ? "" : ":" + url.password) + "@";
      text += url.host + (url.port === null ? "" : ":" + url.port);
    } else if (Array.isArray(url.path) && url.path.length > 1 && url.path[0] === "") text += "/.";
    return (
      text +
      pathText(url) +
      (url.query === null ? "" : "?" + url.query) +
      (url.fragment === null ? "" : "#" + url.fragment)
    );
  }

  // ---- URLSearchParams ---------------------------------------------------------------------------------------------

  const formEncoded = (text) => {
    let out = "";
    for (const char of text) out += char === " " ? "+" : FORM_KEEPS.test(char) ? char : bytesToPercent(char);
    return out;
  };
  const formDecoded = (text) => unescaped(text.replaceAll("+", " "));
  const scalar = (value) => String(value).toWellFormed?.() ?? String(value);

  function formPairs(text) {
    return text
      .split("&")
      .filter((part) => part !== "")
      .map((part) => {
        const at = part.indexOf("=");
        return at < 0 ? [formDecoded(part), ""] : [formDecoded(part.slice(0, at)), formDecoded(part.slice(at + 1))];
      });
  }

  let watch;

  class URLSearchParams {
    #pairs = [];
    #changed = () => {};
    static {
      watch = (params, changed) => {
        params.#changed = changed;
        return (text) => {
          params.#pairs = formPairs(text);
        };
      };
    }
    constructor(init = "") {
      if ((typeof init === "object" && init !== null) || typeof init === "function") {
        if (typeof init[Symbol.iterator] === "function") {
          for (const pair of init) {
            const both = [...pair];
            if (both.length !== 2) throw new TypeErrorOf("Each query pair must be an iterable [name, value] tuple");
            this.#pairs.push([scalar(both[0]), scalar(both[1])]);
          }
        } else for (const key of Object.keys(init)) this.#pairs.push([scalar(key), scalar(init[key])]);
      } else {
        const text = scalar(init);
        this.#pairs = formPairs(text.startsWith("?") ? text.slice(1) : text);
      }
    }
    get size() {
      return this.#pairs.length;
    }
    append(name, value) {
      this.#pairs.push([scalar(name), scalar(value)]);
      this.#changed(this.toString());
    }
    delete(name, value) {
      const key = scalar(name);
      this.#pairs = this.#pairs.filter((pair) => pair[0] !== key || (value !== undefined && pair[1] !== scalar(value)));
      this.#changed(this.toString());
    }
    get(name) {
      return this.#pairs.find((pair) => pair[0] === scalar(name))?.[1] ?? null;
    }
    getAll(name) {
      return this.#pairs.filter((pair) => pair[0] === scalar(name)).map((pair) => pair[1]);
    }
    has(name, value) {
      return this.#pairs.some((pair) => pair[0] === scalar(name) && (value === undefined || pair[1] === scalar(value)));
    }
    set(name, value) {
      const key = scalar(name);
      const at = this.#pairs.findIndex((pair) => pair[0] === key);
      if (at < 0) this.#pairs.push([key, scalar(value)]);
      else {
        this.#pairs[at] = [key, scalar(value)];
        this.#pairs = this.#pairs.filter((pair, i) => i <= at || pair[0] !== key);
      }
      this.#changed(this.toString());
    }
    sort() {
      this.#pairs.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
      this.#changed(this.toString());
    }
    forEach(callback, self) {
      for (const [name, value] of this) callback.call(self, value, name, this);
    }
    *entries() {
      for (let i = 0; i < this.#pairs.length; i++) yield this.#pairs[i].slice();
    }
    *keys() {
      for (let i = 0; i < this.#pairs.length; i++) yield this.#pairs[i][0];
    }
    *values() {
      for (let i = 0; i < this.#pairs.length; i++) yield this.#pairs[i][1];
    }
    [Symbol.iterator]() {
      return this.entries();
    }
    toString() {
      return this.#pairs.map(([name, value]) => formEncoded(name) + "=" + formEncoded(value)).join("&");
    }
    get [Symbol.toStringTag]() {
      return "URLSearchParams";
    }
  }

  // ---- URL ---------------------------------------------------------------------------------------------------------

  const opaque = (url) => typeof url.path === "string";

  class URL {
    #url;
    #params;
    #refill;
    constructor(input, base) {
      const text = scalar(input);
      const root = base === undefined ? undefined : parse(scalar(base));
      if (base !== undefined && root === undefined) throw failed(text, scalar(base));
      this.#url = parse(text, root);
      if (this.#url === undefined) throw failed(text, base === undefined ? undefined : scalar(base));
    }
    static canParse(input, base) {
      try {
        new URL(input, base);
        return true;
      } catch {
        return false;
      }
    }
    static parse(input, base) {
      try {
        return new URL(input, base);
      } catch {
        return null;
      }
    }
    get href() {
      return hrefOf(this.#url);
    }
    set href(value) {
      const parsed = parse(scalar(value));
      if (parsed === undefined) throw failed(scalar(value));
      this.#url = parsed;
      this.#refill?.(parsed.query ?? "");
    }
    get origin() {
      const { protocol, host, port } = this.#url;
      if (protocol === "blob:") {
        const inner = URL.parse(pathText(this.#url));
        return inner !== null && /^https?:$/.test(inner.protocol) ? inner.origin : "null";
      }
      return protocol in PORTS && protocol !== "file:"
        ? protocol + "//" + host + (port === null ? "" : ":" + port)
        : "null";
    }
    get protocol() {
      return this.#url.protocol;
    }
    set protocol(value) {
      const match = /^([A-Za-z][A-Za-z0-9+\-.]*)(?::|$)/.exec(scalar(value));
      if (match === null) return;
      const protocol = match[1].toLowerCase() + ":";
      const url = this.#url;
      if (protocol in PORTS !== url.protocol in PORTS) return;
      if (protocol === "file:" && (url.username !== "" || url.password !== "" || url.port !== null)) return;
      if (url.protocol === "file:" && url.host === "") return;
      url.protocol = protocol;
      if (url.port === PORTS[protocol]) url.port = null;
    }
    get username() {
      return this.#url.username;
    }
    set username(value) {
      if (this.#hasAuthority()) this.#url.username = escaped(scalar(value), USER);
    }
    get password() {
      return this.#url.password;
    }
    set password(value) {
      if (this.#hasAuthority()) this.#url.password = escaped(scalar(value), USER);
    }
    get host() {
      return (this.#url.host ?? "") + (this.#url.port === null ? "" : ":" + this.#url.port);
    }
    set host(value) {
      if (opaque(this.#url)) return;
      const text = scalar(value)
        .replace(/[\t\n\r]/g, "")
        .split(this.#url.protocol in PORTS ? /[/\\?#]/ : /[/?#]/, 1)[0];
      const match = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?/.exec(text);
      if (match === null || !this.#setHost(match[1])) return;
      if (match[2] !== undefined && match[2] !== "" && this.#url.protocol !== "file:") portOf(this.#url, match[2]);
    }
    get hostname() {
      return this.#url.host ?? "";
    }
    set hostname(value) {
      if (opaque(this.#url)) return;
      const text = scalar(value)
        .replace(/[\t\n\r]/g, "")
        .split(this.#url.protocol in PORTS ? /[/\\?#]/ : /[/?#]/, 1)[0];
      if (/^\[[^\]]*\]$|^[^:]*$/.test(text)) this.#setHost(text);
    }
    get port() {
      return this.#url.port === null ? "" : String(this.#url.port);
    }
    set port(value) {
      if (!this.#hasAuthority()) return;
      const text = scalar(value).replace(/[\t\n\r]/g, "");
      if (text === "") this.#url.port = null;
      else {
        const digits = /^[0-9]+/.exec(text);
        if (digits !== null) portOf(this.#url, digits[0]);
      }
    }
    get pathname() {
      return pathText(this.#url);
    }
    set pathname(value) {
      if (opaque(this.#url)) return;
      this.#url.path = [];
      const text = scalar(value)
        .replace(/[\t\n\r]/g, "")
        .replaceAll("?", "%3F")
        .replaceAll("#", "%23");
      walk(this.#url, text, this.#url.protocol in PORTS);
    }
    get search() {
      return this.#url.query === null || this.#url.query === "" ? "" : "?" + this.#url.query;
    }
    set search(value) {
      const text = scalar(value).replace(/[\t\n\r]/g, "");
      const query = text.startsWith("?") ? text.slice(1) : text;
      this.#url.query = text === "" ? null : escaped(query, this.#url.protocol in PORTS ? SPECIAL_QUERY : QUERY);
      this.#refill?.(query);
    }
    get searchParams() {
      if (this.#params === undefined) {
        this.#params = new URLSearchParams(this.#url.query ?? "");
        this.#refill = watch(this.#params, (text) => {
          this.#url.query = text === "" ? null : text;
        });
      }
      return this.#params;
    }
    get hash() {
      return this.#url.fragment === null || this.#url.fragment === "" ? "" : "#" + this.#url.fragment;
    }
    set hash(value) {
      const text = scalar(value).replace(/[\t\n\r]/g, "");
      this.#url.fragment = text === "" ? null : escaped(text.startsWith("#") ? text.slice(1) : text, FRAGMENT);
    }
    toString() {
      return this.href;
    }
    toJSON() {
      return this.href;
    }
    get [Symbol.toStringTag]() {
      return "URL";
    }

    #hasAuthority() {
      return this.#url.host !== null && this.#url.host !== "" && this.#url.protocol !== "file:";
    }
    #setHost(text) {
      const special = this.#url.protocol in PORTS;
      if (text === "" && special && this.#url.protocol !== "file:") return false;
      const parsed = text === "" ? "" : hostOf(text, special);
      if (parsed === undefined) return false;
      this.#url.host = parsed === "localhost" && this.#url.protocol === "file:" ? "" : parsed;
      return true;
    }
  }

  return { URL, URLSearchParams };
});
