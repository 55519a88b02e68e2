package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.sallyport.capability.CapabilityStore;
import org.sallyport.capability.CapabilityVersionSummary;
import org.sallyport.catalog.CapabilityContractChecker;
import org.sallyport.catalog.ContractCheckBudget;

/** Lists the capabilities that would break, no more of them on a page than can be tried in a moment. */
final class BrokenCapabilityFinder {
    private static final int MAX_NAMES_PER_PAGE = 50;
    /** Of traces, for a page: as many as one version alone may take. */
    private static final long MAX_TRACE_CHARS = 4_000_000;

    private static final Duration MAX_DURATION = Duration.ofSeconds(2);

    private final CapabilityStore store;
    private final CapabilityContractChecker contracts;
    private final InstantSource clock;

    BrokenCapabilityFinder(CapabilityStore store, CapabilityContractChecker contracts, InstantSource clock) {
        this.store = store;
        this.contracts = contracts;
        this.clock = clock;
    }

    /**
     * Looks at so many names at most, at fewer when they take long, and says where to go on. A name that was begun is looked at in full, so that what
     * is said of it does not depend on those before it.
     */
    ObjectNode page(String tenant, String words, String after, int size) {
        ContractCheckBudget budget = new ContractCheckBudget(MAX_TRACE_CHARS, MAX_DURATION, clock);
        List<ObjectNode> found = new ArrayList<>();
        List<String> names = store.searchNames(tenant, words, after, MAX_NAMES_PER_PAGE + 1);
        int most = Math.min(names.size(), MAX_NAMES_PER_PAGE);
        int looked = 0;
        // The first always: who goes on from page to page is to come to an end.
        while (looked < most && found.size() < size && (looked == 0 || !budget.isExhausted())) {
            item(tenant, names.get(looked), budget).ifPresent(found::add);
            looked++;
        }
        return ExecutionMapper.list(
                found,
                looked < names.size() ? Optional.of(Cursor.encodeName(names.get(looked - 1))) : Optional.empty());
    }

    /** The name with those of its versions that would break; empty when none would. */
    private Optional<ObjectNode> item(String tenant, String name, ContractCheckBudget budget) {
        List<CapabilityVersionSummary> versions = store.listVersions(tenant, name);
        ObjectNode item = CapabilityMapper.summary(name, versions);
        item.putArray("broken");
        Stream.of(CapabilityVersionSummary.STABLE, CapabilityVersionSummary.LATEST)
                .flatMap(alias -> CapabilityVersionSummary.resolveAlias(alias, versions).stream())
                .map(CapabilityVersionSummary::version)
                .distinct()
                .flatMap(version -> store.find(tenant, name, version).stream())
                .forEach(version -> {
                    List<CapabilityContractChecker.ContractBreach> breaches =
                            contracts.findBreaches(tenant, version, budget);
                    if (!breaches.isEmpty()) {
                        item.withArray("broken").add(CapabilityMapper.brokenVersion(version.version(), breaches));
                    }
                });
        return item.path("broken").isEmpty() ? Optional.empty() : Optional.of(item);
    }
}
