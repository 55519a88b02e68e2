package org.sallyport.it.console;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.List;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;

/**
 * A server with data for every page of the console.
 *
 * @param completed an execution that made calls, some of them concurrent
 * @param failed an execution that failed
 * @param rerun a re-run of the completed execution, with another script
 * @param waiting an execution that waits for an approval
 * @param running an execution that is running
 * @param batch a batch that is running
 * @param dryRun a dry run
 * @param nested an execution that runs capabilities, which run other capabilities
 */
record SeededConsole(
        String completed,
        String failed,
        String rerun,
        String waiting,
        String running,
        String batch,
        String dryRun,
        String nested) {
    private static final String ORDERS_SCRIPT = """
            // Looks up three orders in parallel and adds their totals.
            console.log(`Checking ${args.orders.length} orders for ${args.customer}…`);
            const orders = await Promise.all([
              demo.slow({ millis: 240, value: { order: 'A-1001', total: 129.5 } }),
              demo.slow({ millis: 420, value: { order: 'A-1002', total: 80 } }),
              demo.slow({ millis: 150, value: { order: 'A-1003', total: 12.25 } }),
            ]);
            progress(0.5, 'orders looked up');
            let total = 0;
            for (const { order, total: cost } of orders) {
              total = await demo.add({ a: total, b: cost });
              console.log(`${order}: ${cost}, so far ${total}`);
            }
            await demo.fail({ message: 'the archive is closed', code: 'E17' }).catch((e) => console.error('not \
            archived:', e.message));
            await artifacts.write('orders.csv', orders.map((it) => `${it.order},${it.total}`).join('\\n'), { \
            contentType: 'text/csv' });
            return { customer: args.customer, total };
            """;

    static SeededConsole build(SallyportServer server) {
        RestClient api = server.api();
        String batch = api.post("/api/v1/batches", batchBody())
                .expectStatus(202)
                .json()
                .path("id")
                .asText();
        String running = api.submit(SubmissionBody.javascript("""
                        for (let page = 1; ; page++) {
                          console.log(`page ${page} of the archive`);
                          progress(Math.min(0.95, page / 120), `page ${page}`);
                          await demo.slow({ millis: 900, value: page });
                        }
                        """).label("team", "archive"));
        SubmissionBody orders = SubmissionBody.javascript(ORDERS_SCRIPT)
                .args("{\"customer\": \"Ada Lovelace\", \"orders\": [\"A-1001\", \"A-1002\", \"A-1003\"]}")
                .label("team", "research")
                .label("ticket", "OPS-17")
                .with("intent", "\"Monthly total for Ada\"");
        String completed = runAndGetId(api, orders);
        String failed = runAndGetId(api, SubmissionBody.typescript("""
                        interface Invoice { number: string; amount?: number }
                        const invoices: Invoice[] = await demo.echo([{ number: '2026-001', amount: 40 }, { number: \
                        '2026-002' }]);
                        console.log('invoices:', invoices.length);
                        return invoices.map((it) => it.amount!.toFixed(2));
                        """).label("team", "billing"));
        runAndGetId(
                api,
                SubmissionBody.javascript("return demo.add({ a: 19, b: 23 })").label("team", "research"));
        runAndGetId(
                api,
                SubmissionBody.javascript(
                        "const stock = await demo.kv_get({ key: 'stock' }); return stock ?? 'empty';"));
        runAndGetId(
                api,
                SubmissionBody.javascript("while (true) {}")
                        .limit("wallMillis", 700)
                        .label("team", "platform"));
        String cancelled = api.submit(SubmissionBody.javascript("await demo.slow({ millis: 20000, value: 'late' })"));
        api.awaitRunning(cancelled);
        api.cancel(cancelled);
        api.awaitEnd(cancelled);
        String rerun = api.send(api.request(RestClient.EXECUTIONS + "/" + completed + "/rerun")
                        .header("Content-Type", "application/json")
                        .header("Prefer", "wait=20")
                        .POST(RestClient.body("{\"mode\": \"from\", \"from\": 4, \"code\": "
                                + TestJson.write(TestJson.object()
                                                .put(
                                                        "c",
                                                        ORDERS_SCRIPT.replace("so far ${total}", "together ${total}")))
                                        .replaceAll("^\\{\"c\":|}$", "")
                                + "}")))
                .json()
                .path("id")
                .asText();
        String dry = runAndGetId(api, SubmissionBody.javascript("""
                        const visits = await demo.counter_read({ name: 'visits' });
                        await demo.counter_increment({ name: 'visits', by: 5 });
                        await demo.send_mail({ to: 'ops@example.com', subject: 'Counted', body: 'five more' });
                        return visits;
                        """).with("dryRun", "true"));
        String waiting = api.submit(
                SubmissionBody.javascript("""
                        const total = await demo.add({ a: 1200, b: 45 });
                        await demo.send_mail({ to: 'ada@example.org', subject: 'Your invoice', body: `You owe ${total} \
                        €.` });
                        return 'sent';
                        """).label("team", "billing").with("intent", "\"Send the June invoice\""));
        Await.until(
                "it waits",
                Duration.ofSeconds(90),
                () -> api.getExecution(waiting).path("state").asText().equals("WAITING"));
        createBackendsAndPolicies(api);
        createSchedules(api);
        trainToolGraph(api);
        createSecretsAndCallbacks(api);
        return new SeededConsole(completed, failed, rerun, waiting, running, batch, dry, runNested(api));
    }

    /** Creates secrets and variables, and callbacks to an address without a listener. */
    private static void createSecretsAndCallbacks(RestClient api) {
        for (String name : List.of("weather-key", "notes.token", "sms_account")) {
            api.post("/api/v1/secrets", "{\"name\": \"" + name + "\", \"value\": \"not-to-be-seen-" + name + "\"}")
                    .expectStatus(201);
        }
        for (String body : List.of("{\"value\": \"eu-1\"}", "{\"secret\": \"weather-key\"}")) {
            api.send(api.request("/api/v1/variables/" + (body.contains("secret") ? "WEATHER_KEY" : "REGION"))
                            .header("Content-Type", "application/json")
                            .PUT(RestClient.body(body)))
                    .expectStatus(200);
        }
        api.send(api.request("/api/v1/callbacks/secret").POST(RestClient.body("")))
                .expectStatus(201);
        for (String path : List.of("orders", "invoices/2026/november?source=sallyport")) {
            String id = runAndGetId(
                    api,
                    SubmissionBody.javascript("return demo.echo('" + path + "')")
                            .with(
                                    "callback",
                                    "\"http://127.0.0.1:" + ServerSetup.freePort() + "/hooks/" + path + "\""));
            Await.until(
                    "nobody is told any more",
                    Duration.ofSeconds(90),
                    () -> api.getExecution(id).at("/callback/state").asText().equals("failed"));
        }
    }

    /** Creates three levels of nested executions. */
    private static String runNested(RestClient api) {
        publishCapability(api, "shop.price", "return demo.slow({ millis: 150, value: args.item.length * 10 })");
        publishCapability(api, "shop.tax", "if (args.of > 60) throw new Error('no tax is known'); return args.of / 5;");
        publishCapability(
                api,
                "shop.quote",
                "const price = await capabilities.shop.price({ item: args.item });\n"
                        + "const tax = await capabilities.shop.tax({ of: price }).catch(() => 0);\n"
                        + "return price + tax;");
        return runAndGetId(api, SubmissionBody.javascript("""
                        const items = ['tea', 'bread', 'marmalade'];
                        const quotes = await Promise.all(items.map((item) => capabilities.shop.quote({ item })));
                        return { items, total: quotes.reduce((sum, each) => sum + each, 0) };
                        """).label("team", "shop"));
    }

    /** Publishes a capability that may call the demo tools and the other capabilities of this server. */
    static void publishCapability(RestClient api, String name, String code) {
        ObjectNode capability = TestJson.object()
                .put("name", name)
                .put("version", "1.0.0")
                .put("description", "Part of a quote.")
                .put("code", code);
        capability.putArray("tools").add("demo.*").add("capabilities.*");
        api.post("/api/v1/capabilities", TestJson.write(capability)).expectStatus(201);
    }

    /** Creates backends, policy rules and API keys. */
    private static void createBackendsAndPolicies(RestClient api) {
        api.post("/api/v1/backends", """
                {"name": "weather", "kind": "http", "settings": {"baseUrl": "https://api.weather.example", \
                "operations": {
                  "forecast": {"description": "The forecast for a place.", "method": "GET", "path": \
                "/v1/places/{place}/forecast",
                    "query": {"days": "{days}"}, "result": "/data"}}}}
                """).expectStatus(201);
        api.post(
                        "/api/v1/backends",
                        "{\"name\": \"notes\", \"kind\": \"mcp-stdio\", \"settings\": {\"command\": \"false\"}}")
                .expectStatus(201);
        api.post("/api/v1/policies", """
                {"comment": "Two people approve each mail.", "document": {"rules": [
                  {"name": "mail-needs-two", "tools": ["*.send_mail"], "decision": "ask", "approvers": 2, \
                "reason": "mail \
                to customers needs two approvals"},
                  {"name": "no-big-sums", "tools": ["demo.add"], "when": [{"at": "/a", "above": 10000}], "decision": \
                "deny", "reason": "too much"}
                ], "otherwise": "standard",
                  "costs": [{"tools": ["demo.add"], "cost": 0.25}, {"tools": ["demo.echo"], "cost": 1.5}, {"tools": \
                ["demo.send_mail", "weather.*"], "cost": 0.04, "multiplierPointer": "/to"}],
                  "budgets": [{"name": "team", "scope": "tenant", "period": "month", "cost": 5000},
                    {"name": "each", "scope": "key", "period": "day", "cost": 16, "onExceeded": "ask"},
                    {"name": "one-run", "scope": "execution", "cost": 5}]}}
                """).expectStatus(201);
        for (String version : List.of("1.0.0", "2.0.0")) {
            api.post("/api/v1/capabilities", """
                    {"name": "fees.add", "version": "%s", "description": "Adds the fee of the season to a price, in \
                    cents.",
                     "code": "// The fee is the season's.\\nexport default async ({ price }) => demo.add({ a: price, \
                    b: 95 });",
                     "tests": "mock('demo.add', ({ a, b }) => a + b);\\ntest('adds', async () => assert.is(await \
                    main({ price: 5 }), 100));",
                     "tools": ["demo.add"],
                     "inputSchema": {"type": "object", "required": ["price"], "properties": {"price": {"type": \
                    "integer", "minimum": 1}}},
                     "outputSchema": {"type": "number"}}
                    """.formatted(version)).expectStatus(201);
        }
        api.run(SubmissionBody.javascript("// Adds the fee of the season.\nreturn 95;")
                .with("cacheAs", "\"fees.season\""));
        api.post("/api/v1/capabilities/fees.add/versions/1.0.0/deprecate", "{\"reason\": \"use 2.0.0\"}")
                .expectStatus(200);
        api.post("/api/v1/api-keys", "{\"name\": \"nightly batch\", \"roles\": [\"submitter\"]}")
                .expectStatus(201);
        api.post("/api/v1/api-keys", "{\"name\": \"Grace, on call\", \"roles\": [\"approver\", \"operator\"]}")
                .expectStatus(201);
    }

    /** Creates schedules: an active one, one that has fired, and a paused one. */
    private static void createSchedules(RestClient api) {
        String all = "/api/v1/schedules";
        api.post(all, """
                {"name": "nightly-report", "cron": "0 3 * * MON-FRI", "zone": "Europe/Vienna", "overlap": "queue",
                 "run": {"code": "// What the day has cost.\\nreturn await demo.add({ a: args.day, b: 95 });", "args": \
                {"day": 41}}}
                """).expectStatus(201);
        String fees = api.post(all, """
                {"name": "fees-each-hour", "everyMillis": 3600000, "run": {"capability": "fees.add", "version": \
                "stable", "args": {"price": 5}}}
                """).expectStatus(201).json().path("id").asText();
        api.post(all + "/" + fees + "/pause", "{\"reason\": \"The season is over.\"}")
                .expectStatus(200);
        String sums = api.post(all, """
                {"name": "sums", "everyMillis": 900000, "run": {"code": "return await demo.add({ a: 19, b: 23 });"}}
                """).expectStatus(201).json().path("id").asText();
        api.awaitEnd(api.send(api.request(all + "/" + sums + "/run").POST(RestClient.body("")))
                .json()
                .path("id")
                .asText());
    }

    /** Runs executions from which the tool graph learns. */
    private static void trainToolGraph(RestClient api) {
        for (int i = 0; i < 6; i++) {
            runAndGetId(
                    api,
                    SubmissionBody.javascript("""
                            const stock = await demo.kv_get({ key: 'stock' });
                            const sum = await demo.add({ a: 1, b: 2 });
                            if (args % 2) await demo.kv_put({ key: 'stock', value: sum });
                            if (args === 3) await demo.fail({ message: 'no' }).catch(() => 0);
                            await demo.echo(sum);
                            return demo.clock();
                            """)
                            .args(Integer.toString(i))
                            .with("intent", "\"Count the stock for the invoice\""));
        }
        Await.until(
                "it is learned",
                Duration.ofSeconds(120),
                () -> api.get("/api/v1/tool-graph?tool=demo.kv_get")
                                .json()
                                .at("/nodes")
                                .toString()
                                .contains("stock")
                        && api.get("/api/v1/tool-graph/next?tool=demo.echo")
                                .json()
                                .toString()
                                .contains("demo.clock"));
    }

    private static String batchBody() {
        StringBuilder items = new StringBuilder();
        for (int i = 0; i < 400; i++) {
            items.append(i == 0 ? "" : ", ").append(i == 7 ? "{\"code\": \"return +\"}" : "{\"args\": " + i + "}");
        }
        return "{\"items\": [" + items
                + "], \"maxParallel\": 2, \"defaults\": {\"labels\": {\"team\": \"nightly\"}, \"code\":"
                + " \"if (args % 17 === 5) throw new Error('no stock for item ' + args); return demo.slow({ millis: "
                + "350, value: args })\"}}";
    }

    private static String runAndGetId(RestClient api, SubmissionBody submission) {
        return api.run(submission).path("id").asText();
    }
}
