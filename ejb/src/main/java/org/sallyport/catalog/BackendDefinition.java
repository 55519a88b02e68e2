package org.sallyport.catalog;

import org.sallyport.tool.Json;

/**
 * The configuration of a backend.
 *
 * @param name its name; see {@link BackendNameRules}
 * @param kind the kind of its connector
 * @param settings a JSON object in the format of the kind
 * @param enabled whether it is to be connected
 * @param origin where it was configured
 * @param version changes with every change of the definition, so that every node notices
 * @param tenant the tenant whose secrets the settings refer to: the tenant of the caller who configured it last. All
 *     tenants may be granted its tools
 */
public record BackendDefinition(
        String name, String kind, Json settings, boolean enabled, BackendOrigin origin, String version, String tenant) {
    /** The tenant of the installation itself. */
    public static final String DEFAULT_TENANT = "default";

    /** Creates a backend of the installation's tenant. */
    public BackendDefinition(
            String name, String kind, Json settings, boolean enabled, BackendOrigin origin, String version) {
        this(name, kind, settings, enabled, origin, version, DEFAULT_TENANT);
    }

    /** Where a backend was configured. */
    public enum BackendOrigin {
        /** In the configuration file; only the file changes it. */
        FILE,
        /** Through the API at run time. */
        API,
        /** By the service itself. */
        BUILT_IN
    }
}
