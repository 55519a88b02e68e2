package org.sallyport.web.api;

import jakarta.ws.rs.ApplicationPath;
import jakarta.ws.rs.core.Application;
import java.util.Map;

/** The JAX-RS application of the REST API under its base path. */
@ApplicationPath("api/v1")
public class ApiApplication extends Application {
    /**
     * Disables two features of the platform. The generated WADL is off because {@code /openapi} describes the
     * interface. {@code Location} headers stay relative, because the platform would add the host name that the client
     * sent.
     */
    @Override
    public Map<String, Object> getProperties() {
        return Map.of(
                "jersey.config.server.wadl.disableWadl",
                true,
                "jersey.config.server.headers.location.relative.resolution.disabled",
                true);
    }
}
