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
import org.sallyport.access.Caller;
import org.sallyport.access.Keys;
import org.sallyport.access.Role;
import org.sallyport.access.Standing;
import org.sallyport.access.Subject;
import org.sallyport.approval.Approval;
import org.sallyport.approval.ApprovalKind;
import org.sallyport.approval.ApprovalLink;
import org.sallyport.approval.ApprovalLinkStore;
import org.sallyport.approval.ApprovalState;
import org.sallyport.approval.ApprovalStore;
import org.sallyport.approval.LinkToken;

/**
 * Links by which people decide one approval once without logging in. A link is the voice of whoever made it, and counts for as long as
 * he could decide himself: what he may not do, no link of his does. Thread-safe.
 */
public final class ApprovalLinks {
    /** How many links that count one approval may have of one maker. */
    public static final int MOST_OF_MAKER = 20;

    /** How many of all makers. */
    public static final int MOST = 100;

    private static final Set<Role> DECIDING = Set.of(Role.APPROVER, Role.ADMIN);

    private final ApprovalStore approvals;
    private final ApprovalLinkStore links;
    private final BiPredicate<Approval, String> own;
    private final Keys keys;
    private final Standing standing;
    private final BiFunction<String, Instant, Optional<Caller>> certified;
    private final Supplier<UUID> ids;
    private final SecureRandom random;
    private final InstantSource clock;

    /**
     * @param own whether others have to decide, since it is about an execution of the caller's own
     * @param certified whoever the settings know by a name of a certificate, until a time
     * @param ids of links
     */
    public ApprovalLinks(
            ApprovalStore approvals,
            ApprovalLinkStore links,
            BiPredicate<Approval, String> own,
            Keys keys,
            Standing standing,
            BiFunction<String, Instant, Optional<Caller>> certified,
            Supplier<UUID> ids,
            SecureRandom random,
            InstantSource clock) {
        this.approvals = approvals;
        this.links = links;
        this.own = own;
        this.keys = keys;
        this.standing = standing;
        this.certified = certified;
        this.ids = ids;
        this.random = random;
        this.clock = clock;
    }

    /** What becomes of the wish for a link. */
    public sealed interface Minted {
        /**
         * It is made.
         *
         * @param token what the link carries: to be told once
         */
        record Made(ApprovalLink link, String token) implements Minted {}

        /** There is no such approval. */
        record NotFound() implements Minted {}

        /** The approval is decided. */
        record Decided(Approval approval) implements Minted {}

        /** One's own executions are for others to approve. */
        record Own() implements Minted {}

        /** It is to be said what a call gave, for which a link has no place: yes alone would make the call again. */
        record Outcome() implements Minted {}

        /** The approval has as many links as it may, of the caller or of all. */
        record TooMany() implements Minted {}
    }

    /** What a token is worth. */
    public sealed interface Opened {
        /** Its secret is right. */
        sealed interface Known extends Opened {
            /** The link that it is of. */
            ApprovalLink link();
        }

        /**
         * It counts.
         *
         * @param maker whose voice it is, as he is now
         */
        record Counting(ApprovalLink link, Caller maker, Approval approval) implements Known {}

        /** It has counted already. */
        record Used(ApprovalLink link) implements Known {}

        /** Its time is over, or whoever made it may not decide any more. */
        record Over(ApprovalLink link) implements Known {}

        /** It is for what no link decides: as {@link Minted.Outcome}. */
        record Outcome(ApprovalLink link) implements Known {}

        /** There is no such link, or there is one no more. */
        record Unknown() implements Opened {}
    }

    /**
     * Makes a link for an approval that the caller may decide.
     *
     * @param patience for how long it is to count; never longer than people have to decide, nor than the caller's token counts
     */
    public Minted mint(Caller caller, UUID id, Duration patience) {
        Optional<Approval> found = approvals.find(caller.tenant(), id);
        if (found.isEmpty()) {
            return new Minted.NotFound();
        }
        Approval approval = found.get();
        if (approval.state() != ApprovalState.PENDING || !approval.expiresAt().isAfter(clock.instant())) {
            return new Minted.Decided(approval);
        } else if (own.test(approval, caller.keyId())) {
            return new Minted.Own();
        } else if (approval.question().kind() == ApprovalKind.OUTCOME) {
            return new Minted.Outcome();
        }
        byte[] noise = new byte[LinkToken.SECRET_BYTES];
        random.nextBytes(noise);
        LinkToken token = LinkToken.of(ids.get(), noise);
        ApprovalLink unsealed = new ApprovalLink(
                token.link(), caller.tenant(), id, "", maker(caller), end(caller, approval, patience), false);
        ApprovalLink link = new ApprovalLink(
                unsealed.id(),
                unsealed.tenant(),
                id,
                token.seal(unsealed, approval.hash()),
                unsealed.maker(),
                unsealed.expiresAt(),
                false);
        return links.add(link, MOST_OF_MAKER, MOST) ? new Minted.Made(link, token.text()) : new Minted.TooMany();
    }

    private static ApprovalLink.Maker maker(Caller caller) {
        return new ApprovalLink.Maker(
                caller.keyId(),
                caller.token()
                        .map(token -> new ApprovalLink.Person(
                                token.subject().issuer(), token.subject().name())));
    }

    private Instant end(Caller caller, Approval approval, Duration patience) {
        Instant end = clock.instant().plus(patience);
        Instant sooner = end.isBefore(approval.expiresAt()) ? end : approval.expiresAt();
        // Nobody can be asked later whether he would be given a token again.
        return caller.token()
                .map(Caller.Token::end)
                .filter(sooner::isAfter)
                .orElse(sooner)
                .truncatedTo(ChronoUnit.MILLIS);
    }

    /** What the bearer of {@code text} may decide. */
    public Opened open(String text) {
        Optional<LinkToken> token = LinkToken.parse(text);
        Optional<ApprovalLink> found = token.flatMap(each -> links.find(each.link()));
        Optional<Approval> approval = found.flatMap(link -> approvals.find(link.tenant(), link.approval()));
        if (token.isEmpty()
                || found.isEmpty()
                || approval.isEmpty()
                || !token.get().opens(found.get(), approval.get().hash())) {
            return new Opened.Unknown();
        }
        ApprovalLink link = found.get();
        if (link.used()) {
            return new Opened.Used(link);
        } else if (approval.get().question().kind() == ApprovalKind.OUTCOME) {
            return new Opened.Outcome(link);
        }
        Optional<Caller> maker = link.expiresAt().isAfter(clock.instant()) ? standing(link) : Optional.empty();
        return maker.<Opened>map(caller -> new Opened.Counting(link, caller, approval.get()))
                .orElseGet(() -> new Opened.Over(link));
    }

    /** Whoever made a link, if he could decide now. */
    private Optional<Caller> standing(ApprovalLink link) {
        Optional<Caller> maker =
                link.maker().person().flatMap(person -> of(link, person)).filter(standing::holds);
        return (link.maker().person().isPresent()
                        ? maker
                        : keys.bearer(link.maker().id()))
                .filter(caller -> caller.tenant().equals(link.tenant()))
                .filter(caller -> caller.roles().stream().anyMatch(DECIDING::contains));
    }

    /** Of whom settings know it, what they say now; whoever had a token when he made the link has the voice that it gave him. */
    private Optional<Caller> of(ApprovalLink link, ApprovalLink.Person person) {
        return person.issuer().equals(Subject.CERTIFICATES)
                ? certified.apply(person.name(), link.expiresAt())
                : Optional.of(Caller.of(
                        new Subject(person.issuer(), person.name()),
                        link.expiresAt(),
                        link.tenant(),
                        Set.of(Role.APPROVER)));
    }

    /** Has a link count no more; whether the approval of this tenant had it. */
    public boolean revoke(String tenant, UUID approval, UUID link) {
        return links.remove(tenant, approval, link);
    }
}
