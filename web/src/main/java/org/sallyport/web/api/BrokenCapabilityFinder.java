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

/** Finds the capabilities whose contracts the current tools break. Bounds a page by what can be checked in a moment. */
final class BrokenCapabilityFinder {
    private static final int MAX_NAMES_PER_PAGE = 50;
    /** Maximum characters of traces read for one page: as much as one version alone may take. */
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
     * Returns one page and the cursor of the next. Checks a bounded number of capability names, fewer if the checks
     * take long. A time limit never interrupts the check of a name, so that its result does not depend on the names
     * before it.
     */
    ObjectNode page(String tenant, String words, String after, int size) {
        ContractCheckBudget budget = new ContractCheckBudget(MAX_TRACE_CHARS, MAX_DURATION, clock);
        List<ObjectNode> found = new ArrayList<>();
        List<String> names = store.searchNames(tenant, words, after, MAX_NAMES_PER_PAGE + 1);
        int maxNames = Math.min(names.size(), MAX_NAMES_PER_PAGE);
        int looked = 0;
        // Always checks the first name, so that a client that follows the cursors reaches the end.
        while (looked < maxNames && found.size() < size && (looked == 0 || !budget.isExhausted())) {
            item(tenant, names.get(looked), budget).ifPresent(found::add);
            looked++;
        }
        return ExecutionMapper.list(
                found,
                looked < names.size() ? Optional.of(Cursor.encodeName(names.get(looked - 1))) : Optional.empty());
    }

    /** The name with its broken versions; empty if none is broken. */
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
