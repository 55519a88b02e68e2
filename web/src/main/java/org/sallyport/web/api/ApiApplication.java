package org.sallyport.web.api;

import jakarta.ws.rs.ApplicationPath;
import jakarta.ws.rs.core.Application;
import java.util.Map;

/** The REST API under its base path. */
@ApplicationPath("api/v1")
public class ApiApplication extends Application {
    /**
     * The platform would describe its classes in a WADL; {@code /openapi} describes the interface. And it would put before the address of
     * what was made whatever name the client has called this host by.
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
