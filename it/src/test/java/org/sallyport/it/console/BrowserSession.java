package org.sallyport.it.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A browser session at the console, with the errors that the browser reported. Uses one page. */
final class BrowserSession implements AutoCloseable {
    private static final double TIMEOUT_MILLIS = 30_000;

    private final URI server;
    private final BrowserContext context;
    private final Page page;
    private final List<String> browserErrors = new CopyOnWriteArrayList<>();
    private final List<String> foreignRequests = new CopyOnWriteArrayList<>();

    private BrowserSession(Browser browser, URI server, Browser.NewContextOptions options) {
        this.server = server;
        context = browser.newContext(options);
        page = context.newPage();
        page.setDefaultTimeout(TIMEOUT_MILLIS);
        page.onConsoleMessage(message -> {
            if (message.type().equals("error") || message.type().equals("warning")) {
                browserErrors.add(message.text());
            }
        });
        page.onPageError(browserErrors::add);
        page.onDialog(dialog -> {
            browserErrors.add("a script has asked: " + dialog.message());
            dialog.dismiss();
        });
        page.onRequest(request -> {
            if (!request.url().startsWith(server.toString()) && !request.url().startsWith("data:")) {
                foreignRequests.add(request.url());
            }
        });
    }

    static BrowserSession open(ChromiumBrowser chromium, URI server) {
        return new BrowserSession(
                chromium.browser(), server, new Browser.NewContextOptions().setViewportSize(1360, 900));
    }

    /** Opens a session in another time zone. */
    static BrowserSession openInTimeZone(ChromiumBrowser chromium, URI server, String zone) {
        return new BrowserSession(
                chromium.browser(),
                server,
                new Browser.NewContextOptions()
                        .setViewportSize(1360, 900)
                        .setLocale("en-US")
                        .setTimezoneId(zone));
    }

    /** Opens a session without the Content Security Policy, so that the test can inject the accessibility checker. */
    static BrowserSession openForInspection(ChromiumBrowser chromium, URI server, int width, ColorScheme scheme) {
        return new BrowserSession(
                chromium.browser(),
                server,
                new Browser.NewContextOptions()
                        .setViewportSize(width, 900)
                        .setColorScheme(scheme)
                        .setTimezoneId("Europe/Vienna")
                        .setBypassCSP(true));
    }

    /** Opens a path of the console. */
    BrowserSession goTo(String path) {
        page.navigate(server + "/console" + path);
        return this;
    }

    /** Logs in with an API key. */
    BrowserSession logIn(String key) {
        goTo("");
        page.getByLabel("API key").fill(key);
        button("Log in").click();
        assertThat(page.locator(".shell")).isVisible();
        return this;
    }

    Page page() {
        return page;
    }

    Locator button(String name) {
        return page.getByRole(
                AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    Locator heading(String name) {
        return page.getByRole(AriaRole.HEADING, new Page.GetByRoleOptions().setName(name));
    }

    /** Replaces the text of an editor. */
    void fillEditor(String editor, String text) {
        Locator field = page.locator("[data-editor='" + editor + "'] .CodeMirror");
        field.click();
        page.keyboard().press("Control+A");
        page.keyboard().insertText(text);
    }

    /** Console errors and warnings, page errors, and dialogs that scripts opened, so far. */
    List<String> browserErrors() {
        return browserErrors;
    }

    /** URLs of requests to other servers. */
    List<String> foreignRequests() {
        return foreignRequests;
    }

    @Override
    public void close() {
        context.close();
    }
}
