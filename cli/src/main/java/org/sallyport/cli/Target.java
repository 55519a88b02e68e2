package org.sallyport.cli;

import java.util.Optional;
import org.sallyport.cli.Profiles.Profile;

/**
 * The service and the key that options, environment and profiles say, each before the next.
 *
 * @param url nothing for the service of this machine
 * @param key nothing where none was given
 */
record Target(Optional<String> url, Optional<String> key) {

    /**
     * Decides.
     *
     * @param url that an option gives
     * @param key that an option gives
     * @param profile that an option names
     */
    static Target of(Surroundings surroundings, Optional<String> url, Optional<String> key, Optional<String> profile) {
        Profiles profiles = Profiles.of(surroundings);
        Optional<Profile> byOption = profile.map(profiles::named);
        Optional<Profile> byVariable = byOption.isPresent()
                ? Optional.empty()
                : surroundings.variable("SALLYPORT_PROFILE").map(profiles::named);
        Optional<Profile> otherwise =
                surroundings.choosesService() ? Optional.empty() : profiles.find(Profiles.DEFAULT);
        Optional<String> where = url.or(() -> byOption.map(Profile::url))
                .or(() -> surroundings.variable("SALLYPORT_URL"))
                .or(() -> byVariable.map(Profile::url))
                .or(() -> otherwise.map(Profile::url));
        Optional<String> with = key.or(() -> keyFor(where, byOption))
                .or(() -> surroundings.variable("SALLYPORT_KEY"))
                .or(() -> keyFor(where, byVariable))
                .or(() -> keyFor(where, otherwise));
        return new Target(where, with);
    }

    /** The key of a profile goes to the address of that profile and nowhere else. */
    private static Optional<String> keyFor(Optional<String> where, Optional<Profile> profile) {
        return profile.filter(each -> where.equals(Optional.of(each.url()))).flatMap(Profile::key);
    }
}
