package org.sallyport.runner;

import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.sallyport.artifact.Artifact;
import org.sallyport.artifact.ArtifactContent;
import org.sallyport.artifact.ArtifactStore;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.StoreUnavailableException;

/**
 * Writes debugging output for the author of a script: the debugger URL to its error output, and a profile to its
 * artifacts.
 */
final class DebugReport {
    /** Name of the profile artifact. Chrome DevTools and speedscope open it. */
    static final String PROFILE_ARTIFACT = "profile.cpuprofile";

    private DebugReport() {}

    static void printDebuggerUrl(String url, Consumer<String> print) {
        print.accept("Debugger listening on " + url + "\nOpen in Chrome: devtools://devtools/bundled/js_app.html?ws="
                + url.substring(url.indexOf("//") + 2) + "\n");
    }

    static void storeProfile(String profile, FencingToken fence, ArtifactStore artifacts) {
        byte[] bytes = profile.getBytes(StandardCharsets.UTF_8);
        try {
            artifacts.write(
                    fence,
                    PROFILE_ARTIFACT,
                    new ArtifactContent(Artifact.ArtifactKind.JSON, "application/json", bytes));
        } catch (StoreUnavailableException away) {
            System.getLogger(DebugReport.class.getName())
                    .log(
                            System.Logger.Level.WARNING,
                            "the profile of execution {0} is lost: {1}",
                            fence,
                            away.getMessage());
        }
    }
}
