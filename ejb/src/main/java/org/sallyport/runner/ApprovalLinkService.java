package org.sallyport.runner;

import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import java.util.function.Supplier;
import org.sallyport.access.ApiKeyService;
import org.sallyport.access.Caller;
import org.sallyport.access.CallerRevalidator;
import org.sallyport.access.ExternalSubject;
import org.sallyport.access.Role;
import org.sallyport.approval.Approval;
import org.sallyport.approval.ApprovalKind;
import org.sallyport.approval.ApprovalLink;
import org.sallyport.approval.ApprovalLinkStore;
import org.sallyport.approval.ApprovalLinkToken;
import org.sallyport.approval.ApprovalState;
import org.sallyport.approval.ApprovalStore;

/**
 * Links by which people decide one approval once without logging in. A link is the voice of whoever made it, and counts for as long as
 * he could decide himself: what he may not do, no link of his does. Thread-safe.
 */
public final class ApprovalLinkService {
    /** How many links that count one approval may have of one maker. */
    public static final int MAX_LINKS_PER_MAKER = 20;

    /** How many of all makers. */
    public static final int MAX_LINKS = 100;

    private static final Set<Role> APPROVING_ROLES = Set.of(Role.APPROVER, Role.ADMIN);

    private final ApprovalStore approvals;
    private final ApprovalLinkStore links;
    private final BiPredicate<Approval, String> needsOtherApprover;
    private final ApiKeyService keys;
    private final CallerRevalidator callerRevalidator;
    private final BiFunction<String, Instant, Optional<Caller>> certificateCallers;
    private final Supplier<UUID> ids;
    private final SecureRandom random;
    private final InstantSource clock;

    /**
     * @param own whether others have to decide, since it is about an execution of the caller's own
     * @param certified whoever the settings know by a name of a certificate, until a time
     * @param ids of links
     */
    public ApprovalLinkService(
            ApprovalStore approvals,
            ApprovalLinkStore links,
            BiPredicate<Approval, String> own,
            ApiKeyService keys,
            CallerRevalidator standing,
            BiFunction<String, Instant, Optional<Caller>> certified,
            Supplier<UUID> ids,
            SecureRandom random,
            InstantSource clock) {
        this.approvals = approvals;
        this.links = links;
        this.needsOtherApprover = own;
        this.keys = keys;
        this.callerRevalidator = standing;
        this.certificateCallers = certified;
        this.ids = ids;
        this.random = random;
        this.clock = clock;
    }

    /** What becomes of the wish for a link. */
    public sealed interface CreateLinkResult {
        /**
         * It is made.
         *
         * @param token what the link carries: to be told once
         */
        record LinkCreated(ApprovalLink link, String token) implements CreateLinkResult {}

        /** There is no such approval. */
        record ApprovalNotFound() implements CreateLinkResult {}

        /** The approval is decided. */
        record ApprovalAlreadyDecided(Approval approval) implements CreateLinkResult {}

        /** One's own executions are for others to approve. */
        record SelfApprovalLinkRefused() implements CreateLinkResult {}

        /** It is to be said what a call gave, for which a link has no place: yes alone would make the call again. */
        record OutcomeNotLinkable() implements CreateLinkResult {}

        /** The approval has as many links as it may, of the caller or of all. */
        record TooManyLinks() implements CreateLinkResult {}
    }

    /** What a token is worth. */
    public sealed interface OpenLinkResult {
        /** Its secret is right. */
        sealed interface KnownLink extends OpenLinkResult {
            /** The link that it is of. */
            ApprovalLink link();
        }

        /**
         * It counts.
         *
         * @param maker whose voice it is, as he is now
         */
        record ValidLink(ApprovalLink link, Caller maker, Approval approval) implements KnownLink {}

        /** It has counted already. */
        record UsedLink(ApprovalLink link) implements KnownLink {}

        /** Its time is over, or whoever made it may not decide any more. */
        record InactiveLink(ApprovalLink link) implements KnownLink {}

        /** It is for what no link decides: as {@link CreateLinkResult.OutcomeNotLinkable}. */
        record OutcomeLink(ApprovalLink link) implements KnownLink {}

        /** There is no such link, or there is one no more. */
        record UnknownLink() implements OpenLinkResult {}
    }

    /**
     * Makes a link for an approval that the caller may decide.
     *
     * @param patience for how long it is to count; never longer than people have to decide, nor than the caller's token counts
     */
    public CreateLinkResult createLink(Caller caller, UUID id, Duration patience) {
        Optional<Approval> found = approvals.find(caller.tenant(), id);
        if (found.isEmpty()) {
            return new CreateLinkResult.ApprovalNotFound();
        }
        Approval approval = found.get();
        if (approval.state() != ApprovalState.PENDING || !approval.expiresAt().isAfter(clock.instant())) {
            return new CreateLinkResult.ApprovalAlreadyDecided(approval);
        } else if (needsOtherApprover.test(approval, caller.id())) {
            return new CreateLinkResult.SelfApprovalLinkRefused();
        } else if (approval.request().kind() == ApprovalKind.OUTCOME) {
            return new CreateLinkResult.OutcomeNotLinkable();
        }
        byte[] noise = new byte[ApprovalLinkToken.SECRET_BYTES];
        random.nextBytes(noise);
        ApprovalLinkToken token = ApprovalLinkToken.of(ids.get(), noise);
        ApprovalLink unsealed = new ApprovalLink(
                token.link(), caller.tenant(), id, "", maker(caller), linkExpiry(caller, approval, patience), false);
        ApprovalLink link = new ApprovalLink(
                unsealed.id(),
                unsealed.tenant(),
                id,
                token.digest(unsealed, approval.hash()),
                unsealed.creator(),
                unsealed.expiresAt(),
                false);
        return links.add(link, MAX_LINKS_PER_MAKER, MAX_LINKS)
                ? new CreateLinkResult.LinkCreated(link, token.encode())
                : new CreateLinkResult.TooManyLinks();
    }

    private static ApprovalLink.LinkCreator maker(Caller caller) {
        return new ApprovalLink.LinkCreator(
                caller.id(),
                caller.token()
                        .map(token -> new ApprovalLink.ExternalIdentity(
                                token.subject().issuer(), token.subject().name())));
    }

    private Instant linkExpiry(Caller caller, Approval approval, Duration patience) {
        Instant end = clock.instant().plus(patience);
        Instant sooner = end.isBefore(approval.expiresAt()) ? end : approval.expiresAt();
        // Nobody can be asked later whether he would be given a token again.
        return caller.token()
                .map(Caller.CallerToken::expiresAt)
                .filter(sooner::isAfter)
                .orElse(sooner)
                .truncatedTo(ChronoUnit.MILLIS);
    }

    /** What the bearer of {@code text} may decide. */
    public OpenLinkResult open(String text) {
        Optional<ApprovalLinkToken> token = ApprovalLinkToken.parse(text);
        Optional<ApprovalLink> found = token.flatMap(each -> links.find(each.link()));
        Optional<Approval> approval = found.flatMap(link -> approvals.find(link.tenant(), link.approval()));
        if (token.isEmpty()
                || found.isEmpty()
                || approval.isEmpty()
                || !token.get().matches(found.get(), approval.get().hash())) {
            return new OpenLinkResult.UnknownLink();
        }
        ApprovalLink link = found.get();
        if (link.used()) {
            return new OpenLinkResult.UsedLink(link);
        } else if (approval.get().request().kind() == ApprovalKind.OUTCOME) {
            return new OpenLinkResult.OutcomeLink(link);
        }
        Optional<Caller> maker = link.expiresAt().isAfter(clock.instant()) ? currentMaker(link) : Optional.empty();
        return maker.<OpenLinkResult>map(caller -> new OpenLinkResult.ValidLink(link, caller, approval.get()))
                .orElseGet(() -> new OpenLinkResult.InactiveLink(link));
    }

    /** Whoever made a link, if he could decide now. */
    private Optional<Caller> currentMaker(ApprovalLink link) {
        Optional<Caller> maker = link.creator()
                .identity()
                .flatMap(person -> callerFor(link, person))
                .filter(callerRevalidator::isStillValid);
        return (link.creator().identity().isPresent()
                        ? maker
                        : keys.findCaller(link.creator().id()))
                .filter(caller -> caller.tenant().equals(link.tenant()))
                .filter(caller -> caller.roles().stream().anyMatch(APPROVING_ROLES::contains));
    }

    /** Of whom settings know it, what they say now; whoever had a token when he made the link has the voice that it gave him. */
    private Optional<Caller> callerFor(ApprovalLink link, ApprovalLink.ExternalIdentity person) {
        return person.issuer().equals(ExternalSubject.CERTIFICATE_ISSUER)
                ? certificateCallers.apply(person.name(), link.expiresAt())
                : Optional.of(Caller.of(
                        new ExternalSubject(person.issuer(), person.name()),
                        link.expiresAt(),
                        link.tenant(),
                        Set.of(Role.APPROVER)));
    }

    /** Has a link count no more; whether the approval of this tenant had it. */
    public boolean revoke(String tenant, UUID approval, UUID link) {
        return links.remove(tenant, approval, link);
    }
}
