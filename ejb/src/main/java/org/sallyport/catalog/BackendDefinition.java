package org.sallyport.catalog;

import org.sallyport.tool.Json;

/**
 * A backend as it was configured.
 *
 * @param name its name; see {@link BackendNameRules}
 * @param kind the kind of connector that speaks to it
 * @param settings a JSON object that the kind understands
 * @param enabled whether it is to be connected
 * @param origin who configured it
 * @param version another text after each change, so that every node notices
 * @param tenant whose secrets its settings refer to: the tenant of who configured it last. All tenants may be granted its tools
 */
public record BackendDefinition(
        String name, String kind, Json settings, boolean enabled, BackendOrigin origin, String version, String tenant) {
    /** The tenant of the installation itself. */
    public static final String DEFAULT_TENANT = "default";

    /** A backend of the installation itself. */
    public BackendDefinition(
            String name, String kind, Json settings, boolean enabled, BackendOrigin origin, String version) {
        this(name, kind, settings, enabled, origin, version, DEFAULT_TENANT);
    }

    /** Who configured a backend. */
    public enum BackendOrigin {
        /** The file of the installation: only the file changes it. */
        FILE,
        /** Somebody at run time. */
        API,
        /** The service itself. */
        BUILT_IN
    }
}
