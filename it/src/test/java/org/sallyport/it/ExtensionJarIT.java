package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.CheckoutPaths;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerProfile;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestTenant;
import org.sallyport.it.harness.UseServer;

/** The example of a connector in a jar of its own, which the build makes and the server finds in its directory. */
@ExtendWith(ServerExtension.class)
@UseServer(ServerProfile.RICH)
class ExtensionJarIT {
    private static final String SOURCES = "examples/java-connector/";

    private final RestClient api;
    private final RestClient tenant;

    ExtensionJarIT(RestClient api, TestTenant tenant) {
        this.api = api;
        this.tenant = tenant.api();
    }

    @Test
    void scriptCallsAToolOfTheJar() {
        JsonNode execution = tenant.run(SubmissionBody.javascript("""
                const offer = await freight.quote({ country: 'SE', weight: 2 });
                const failed = await freight.quote({ country: 'XX', weight: 2 }).catch((e) => [e.code, e.message]);
                const invalid = await freight.quote({ country: 'SE', weight: 0.5 }).catch((e) => e.code);
                return { offer, failed, invalid };"""));

        assertThat(execution.path("state").asText()).as(execution.toString()).isEqualTo("COMPLETED");
        assertThat(execution.at("/result/offer").toString()).isEqualTo("{\"country\":\"SE\",\"price\":5,\"days\":3}");
        assertThat(execution.at("/result/failed").toString())
                .isEqualTo("[\"tool-failed\",\"there are no transports to XX\"]");
        assertThat(execution.at("/result/invalid").asText()).isEqualTo("invalid-arguments");
    }

    @Test
    void catalogHasTheSchemaOfTheTool() {
        JsonNode tool = tenant.get("/api/v1/tools?backend=freight")
                .expectStatus(200)
                .json()
                .at("/items/0");

        assertThat(tool.path("name").asText()).isEqualTo("freight.quote");
        assertThat(tool.path("description").asText()).isEqualTo("Price in euros and duration of a transport.");
        assertThat(tool.at("/inputSchema/properties/weight/type").asText()).isEqualTo("integer");
        assertThat(tool.at("/inputSchema/properties/country/description").asText())
                .isEqualTo("Two letters, such as SE.");
        assertThat(tool.at("/inputSchema/required").toString()).isEqualTo("[\"country\",\"weight\"]");
    }

    @Test
    void backendOfTheJarIsListedAsJava() {
        JsonNode backend = api.get("/api/v1/backends/freight").expectStatus(200).json();

        assertThat(backend.path("kind").asText()).isEqualTo("java");
        assertThat(backend.path("origin").asText()).isEqualTo("built-in");
        assertThat(backend.at("/status/state").asText()).isEqualTo("ready");
        assertThat(backend.path("toolCount").asInt()).isEqualTo(1);
    }

    @Test
    void guideListsTheExample() throws IOException {
        String page = Files.readString(CheckoutPaths.root().resolve("docs/connector-java.md"));
        String bean = Files.readString(
                CheckoutPaths.root().resolve(SOURCES + "src/main/java/com/example/freight/FreightBackend.java"));
        String pom = Files.readString(CheckoutPaths.root().resolve(SOURCES + "pom.xml"));

        assertThat(page).contains(bean.substring(bean.indexOf("/** Offers")).strip());
        assertThat(page)
                .contains(pom.substring(pom.indexOf("  <dependencies>"), pom.indexOf("  <build>"))
                        .stripTrailing()
                        .stripIndent());
    }
}
