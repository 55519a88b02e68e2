// Tools that store data: writes a note to the demo key-value store and reads it back.
//
//   ./sallyport run examples/notes.ts --args '{"key": "shopping", "text": "bread, salt"}'

interface Input {
  key?: string;
  text?: string;
}

const { key = "greeting", text = "kept between runs" } = (args ?? {}) as Input;

const before = await demo.kv_get({ key });
await demo.kv_put({ key, value: { text } });
const after = await demo.kv_get({ key });

console.log("before:", before);
console.log("after: ", after);
return { key, before, after };
