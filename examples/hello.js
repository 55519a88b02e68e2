// A greeting like hello.ts, in JavaScript, as a module with a main function.
//
//   ./sallyport run examples/hello.js --args '{"name": "Grace"}'

export default async function main(args, context) {
  const name = args?.name ?? "world";
  console.log(`Hello, ${name}!`);
  return { greeting: `Hello, ${name}!`, sum: await tools.demo.add({ a: 1, b: 2 }) };
}
