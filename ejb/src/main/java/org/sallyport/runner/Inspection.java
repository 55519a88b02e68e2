package org.sallyport.runner;

import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.sallyport.artifact.Artifact;
import org.sallyport.artifact.ArtifactContent;
import org.sallyport.artifact.ArtifactStore;
import org.sallyport.execution.Fence;
import org.sallyport.execution.StoreUnavailableException;

/** What authors get who look into an execution: words in its error output, and a profile among its artifacts. */
final class Inspection {
    /** The artifact that a profile becomes; Chrome DevTools and speedscope open it. */
    static final String PROFILE = "profile.cpuprofile";

    private Inspection() {}

    static void tell(String url, Consumer<String> print) {
        print.accept("Debugger listening on " + url + "\nOpen in Chrome: devtools://devtools/bundled/js_app.html?ws="
                + url.substring(url.indexOf("//") + 2) + "\n");
    }

    static void keep(String profile, Fence fence, ArtifactStore artifacts) {
        byte[] bytes = profile.getBytes(StandardCharsets.UTF_8);
        try {
            artifacts.write(fence, PROFILE, new ArtifactContent(Artifact.Kind.JSON, "application/json", bytes));
        } catch (StoreUnavailableException away) {
            System.getLogger(Inspection.class.getName())
                    .log(
                            System.Logger.Level.WARNING,
                            "the profile of execution {0} is lost: {1}",
                            fence,
                            away.getMessage());
        }
    }
}
