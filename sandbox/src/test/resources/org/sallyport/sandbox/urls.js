const fields = [
  "href",
  "origin",
  "protocol",
  "username",
  "password",
  "host",
  "hostname",
  "port",
  "pathname",
  "search",
  "hash",
];
const wrong = [];
const expect = (what, got, wanted) => {
  if (got !== wanted) wrong.push([what, got, wanted]);
};
for (const { input, base, parts } of args.parsed) {
  const url = URL.parse(input, base);
  expect([input, base], JSON.stringify(url === null ? [] : fields.map((field) => url[field])), JSON.stringify(parts));
}
for (const { input, field, value, href } of args.set) {
  const url = new URL(input);
  url[field] = value;
  expect([input, field, value], url.href, href);
}
for (const { code, value } of args.code) expect(code, JSON.stringify((0, eval)("(" + code + ")")), value);
return wrong;
