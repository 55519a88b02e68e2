/** Returns the price of an order with its fee. Its tests: `sallyport test examples/fees.ts examples/fees.test.ts`. */
export default async function main({ price }: { price: number }): Promise<number> {
  if (!(price > 0)) throw new RangeError('a price is more than nothing');
  return await demo.add({ a: price, b: 1 });
}
