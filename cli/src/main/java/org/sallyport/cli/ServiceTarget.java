package org.sallyport.cli;

import java.util.Optional;
import org.sallyport.cli.ProfileStore.ServiceProfile;

/**
 * The service and the key that options, environment and profiles say, each before the next.
 *
 * @param url nothing for the service of this machine
 * @param key nothing where none was given
 */
record ServiceTarget(Optional<String> url, Optional<String> key) {

    /**
     * Decides.
     *
     * @param url that an option gives
     * @param key that an option gives
     * @param profile that an option names
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

    /** The key of a profile goes to the address of that profile and nowhere else. */
    private static Optional<String> keyFor(Optional<String> where, Optional<ServiceProfile> profile) {
        return profile.filter(each -> where.equals(Optional.of(each.url()))).flatMap(ServiceProfile::key);
    }
}
