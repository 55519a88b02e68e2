package org.sallyport.cli;

import java.util.Optional;
import org.sallyport.cli.ProfileStore.ServiceProfile;

/**
 * The service and the key from options, environment and profiles, in this order of precedence.
 *
 * @param url empty for the service on this machine
 * @param key empty if none is configured
 */
record ServiceTarget(Optional<String> url, Optional<String> key) {

    /**
     * Selects the service and the key.
     *
     * @param url URL of the option
     * @param key key of the option
     * @param profile profile of the option
     */
    static ServiceTarget of(
            CliEnvironment surroundings, Optional<String> url, Optional<String> key, Optional<String> profile) {
        ProfileStore profiles = ProfileStore.of(surroundings);
        Optional<ServiceProfile> byOption = profile.map(profiles::require);
        Optional<ServiceProfile> byVariable = byOption.isPresent()
                ? Optional.empty()
                : surroundings.variable("SALLYPORT_PROFILE").map(profiles::require);
        Optional<ServiceProfile> otherwise =
                surroundings.choosesService() ? Optional.empty() : profiles.find(ProfileStore.DEFAULT_NAME);
        Optional<String> where = url.or(() -> byOption.map(ServiceProfile::url))
                .or(() -> surroundings.variable("SALLYPORT_URL"))
                .or(() -> byVariable.map(ServiceProfile::url))
                .or(() -> otherwise.map(ServiceProfile::url));
        Optional<String> with = key.or(() -> keyFor(where, byOption))
                .or(() -> surroundings.variable("SALLYPORT_KEY"))
                .or(() -> keyFor(where, byVariable))
                .or(() -> keyFor(where, otherwise));
        return new ServiceTarget(where, with);
    }

    /** The key of a profile is sent only to the URL of that profile. */
    private static Optional<String> keyFor(Optional<String> where, Optional<ServiceProfile> profile) {
        return profile.filter(each -> where.equals(Optional.of(each.url()))).flatMap(ServiceProfile::key);
    }
}
