// Calls an MCP server and a counter, and sends a mail that a person must approve. See docs/tutorial.md.
// Needs the backend "everything" (npx -y @modelcontextprotocol/server-everything).

const { orders } = args as { orders: number };

const total = await everything.get_sum({ a: orders, b: 2 });
console.log("The MCP server says:", total);

const number = await demo.counter_increment({ name: "reports" });
console.log("This is report number", number);

await demo.send_mail({ to: "boss@example.com", subject: `Report ${number}`, body: String(total) });
return { number, total };
