package org.sallyport.it.chaos;

import java.util.List;
import java.util.stream.Stream;
import org.sallyport.it.harness.RestClient;

/** The capabilities, costs and secrets that a {@link ChaosLoad} needs. */
final class ChaosPreparation {
    /** The scripts that are published as capabilities. */
    static final List<ChaosScript> CAPABILITIES =
            Stream.of(ChaosScript.values()).filter(ChaosScript::isCapability).toList();

    private ChaosPreparation() {}

    /**
     * Publishes the capabilities, and the cost of the tool with which a script uses up its budget, and creates the
     * signing secret of callbacks.
     */
    static void publish(RestClient api) {
        CAPABILITIES.forEach(script ->
                api.post("/api/v1/capabilities", script.toCapability()).expectStatus(201));
        api.post(
                        "/api/v1/policies",
                        "{\"document\": {\"rules\": [], \"costs\": [{\"tools\": [\"" + ChaosScript.COSTLY_TOOL
                                + "\"], \"cost\": 1}]}, \"comment\": \"costs\"}")
                .expectStatus(201);
        api.post("/api/v1/callbacks/secret", "{}").expectStatus(201);
    }

    /** Returns whether a node already applies the costs that {@link #publish} published at another node. */
    static boolean isKnownTo(RestClient api) {
        return api.post(
                        "/api/v1/policies/explain",
                        "{\"tool\": \"" + ChaosScript.COSTLY_TOOL + "\", \"arguments\": {}}")
                .expectStatus(200)
                .json()
                .path("cost")
                .isNumber();
    }
}
