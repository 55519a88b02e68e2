package org.sallyport.it.console;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sallyport.testsupport.TestPrerequisite;

/**
 * The Chromium installation of this machine. Tests that need it are skipped if it is missing; see {@link
 * TestPrerequisite}.
 */
final class ChromiumBrowser implements AutoCloseable {
    private static final List<String> EXECUTABLE_PATHS =
            List.of("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome");

    /** Milliseconds. Pages update slowly where browser and server share two processors. */
    private static final double ASSERTION_TIMEOUT_MILLIS = 30_000;

    static {
        PlaywrightAssertions.setDefaultAssertionTimeout(ASSERTION_TIMEOUT_MILLIS);
    }

    private final Playwright playwright;
    private final Browser browser;

    private ChromiumBrowser(Path executable) {
        playwright = Playwright.create(
                new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
        browser = playwright
                .chromium()
                .launch(new BrowserType.LaunchOptions()
                        .setExecutablePath(executable)
                        .setArgs(List.of(
                                "--no-sandbox",
                                "--disable-background-networking",
                                "--disable-component-update",
                                "--disable-sync",
                                "--disable-dev-shm-usage",
                                "--no-first-run")));
    }

    static ChromiumBrowser start() {
        Optional<Path> executable = EXECUTABLE_PATHS.stream()
                .map(Path::of)
                .filter(Files::isExecutable)
                .findFirst();
        TestPrerequisite.require(executable.isPresent(), "Chromium (Debian package chromium)");
        return new ChromiumBrowser(executable.orElseThrow());
    }

    Browser browser() {
        return browser;
    }

    @Override
    public void close() {
        browser.close();
        playwright.close();
    }
}
