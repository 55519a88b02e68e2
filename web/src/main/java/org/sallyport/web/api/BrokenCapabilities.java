package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.sallyport.capability.CapabilityStore;
import org.sallyport.capability.VersionSummary;
import org.sallyport.catalog.Contracts;
import org.sallyport.catalog.TrialBudget;

/** Lists the capabilities that would break, no more of them on a page than can be tried in a moment. */
final class BrokenCapabilities {
    private static final int MOST_LOOKED_AT = 50;
    /** Of traces, for a page: as many as one version alone may take. */
    private static final long MOST_CHARS = 4_000_000;

    private static final Duration LONGEST = Duration.ofSeconds(2);

    private final CapabilityStore store;
    private final Contracts contracts;
    private final InstantSource clock;

    BrokenCapabilities(CapabilityStore store, Contracts contracts, InstantSource clock) {
        this.store = store;
        this.contracts = contracts;
        this.clock = clock;
    }

    /**
     * Looks at so many names at most, at fewer when they take long, and says where to go on. A name that was begun is looked at in full, so that what
     * is said of it does not depend on those before it.
     */
    ObjectNode page(String tenant, String words, String after, int size) {
        TrialBudget budget = new TrialBudget(MOST_CHARS, LONGEST, clock);
        List<ObjectNode> found = new ArrayList<>();
        List<String> names = store.names(tenant, words, after, MOST_LOOKED_AT + 1);
        int most = Math.min(names.size(), MOST_LOOKED_AT);
        int looked = 0;
        // The first always: who goes on from page to page is to come to an end.
        while (looked < most && found.size() < size && (looked == 0 || !budget.isSpent())) {
            item(tenant, names.get(looked), budget).ifPresent(found::add);
            looked++;
        }
        return Representation.list(
                found,
                looked < names.size() ? Optional.of(Cursor.encodeName(names.get(looked - 1))) : Optional.empty());
    }

    /** The name with those of its versions that would break; empty when none would. */
    private Optional<ObjectNode> item(String tenant, String name, TrialBudget budget) {
        List<VersionSummary> versions = store.versions(tenant, name);
        ObjectNode item = CapabilityAnswers.item(name, versions);
        item.putArray("broken");
        Stream.of(VersionSummary.STABLE, VersionSummary.LATEST)
                .flatMap(alias -> VersionSummary.of(alias, versions).stream())
                .map(VersionSummary::version)
                .distinct()
                .flatMap(version -> store.find(tenant, name, version).stream())
                .forEach(version -> {
                    List<Contracts.Breach> breaches = contracts.breaches(tenant, version, budget);
                    if (!breaches.isEmpty()) {
                        item.withArray("broken").add(CapabilityAnswers.broken(version.version(), breaches));
                    }
                });
        return item.path("broken").isEmpty() ? Optional.empty() : Optional.of(item);
    }
}
