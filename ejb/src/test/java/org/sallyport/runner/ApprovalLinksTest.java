package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.AnExecution.anExecution;

import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.sallyport.access.ApiKey;
import org.sallyport.access.ApiKeyStore;
import org.sallyport.access.BlockedSubject;
import org.sallyport.access.BlockedSubjectStore;
import org.sallyport.access.BlockedSubjects;
import org.sallyport.access.Caller;
import org.sallyport.access.Keys;
import org.sallyport.access.Role;
import org.sallyport.access.Standing;
import org.sallyport.access.Subject;
import org.sallyport.approval.Approval;
import org.sallyport.approval.ApprovalKind;
import org.sallyport.approval.ApprovalLink;
import org.sallyport.approval.ApprovalLinkStore;
import org.sallyport.approval.LinkToken;
import org.sallyport.approval.Question;
import org.sallyport.execution.NewExecution;
import org.sallyport.policy.Terms;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;

/** Whose links count, and for how long. */
class ApprovalLinksTest {
    private static final String TENANT = "acme";
    private static final Duration DAY = Duration.ofDays(1);

    private Instant now = Instant.EPOCH;
    private final KeysInMemory stored = new KeysInMemory();
    private final LinksInMemory made = new LinksInMemory();
    private final BlockedInMemory shutOut = new BlockedInMemory();
    private final Map<String, Role> certified = new HashMap<>();
    private final Keys keys = new Keys(stored, () -> now, new SecureRandom());
    private final MemoryStore store = new MemoryStore();
    private final NewExecution execution = anExecution().build();
    private final MemoryApprovals approvals = new MemoryApprovals(store);
    private final Approval approval = approvals.ask(new Question(
            execution.id(),
            1,
            ApprovalKind.CALL,
            0,
            new ToolName("mail", "send"),
            Json.EMPTY_OBJECT,
            "mail",
            new Terms(1, DAY.multipliedBy(7), Terms.AtExpiry.DENY, "")));
    private final ApprovalLinks links = links(false);

    private ApprovalLinks links(boolean ownAllowed) {
        return new ApprovalLinks(
                approvals,
                made,
                (asked, caller) -> !ownAllowed && asked.requester().equals(caller),
                keys,
                new Standing(keys, new BlockedSubjects(shutOut, UUID::randomUUID, () -> now, Duration.ZERO), () -> now),
                (name, end) -> Optional.ofNullable(certified.get(name))
                        .map(role -> Caller.of(new Subject(Subject.CERTIFICATES, name), end, TENANT, Set.of(role))),
                UUID::randomUUID,
                new SecureRandom(),
                () -> now);
    }

    private Caller key(Role role) {
        ApiKey key = keys.issue(TENANT, "k", Set.of(role), Optional.empty()).key();
        return new Caller(key.id(), TENANT, key.roles());
    }

    private ApprovalLinks.Minted.Made mint(Caller caller, Duration patience) {
        return (ApprovalLinks.Minted.Made) links.mint(caller, approval.id(), patience);
    }

    @Test
    void aLinkIsTheVoiceOfWhoeverMadeItAndItsSecretIsInNoStore() {
        Caller anna = key(Role.APPROVER);
        ApprovalLinks.Minted.Made link = mint(anna, DAY);
        assertThat(links.open(link.token())).isEqualTo(new ApprovalLinks.Opened.Counting(link.link(), anna, approval));
        assertThat(made.links.toString())
                .doesNotContain(LinkToken.parse(link.token()).orElseThrow().secret());
        assertThat(link.link().expiresAt()).isEqualTo(now.plus(DAY));
    }

    @Test
    void itCountsNoLongerThanPeopleHaveTimeNorThanAToken() {
        assertThat(mint(key(Role.ADMIN), DAY.multipliedBy(30)).link().expiresAt())
                .isEqualTo(approval.expiresAt());
        Caller anna = Caller.of(
                new Subject("https://id.example", "anna"), now.plusSeconds(60), TENANT, Set.of(Role.APPROVER));
        ApprovalLinks.Minted.Made link = mint(anna, DAY);
        assertThat(link.link().expiresAt()).isEqualTo(now.plusSeconds(60));
        now = now.plusSeconds(59);
        assertThat(links.open(link.token())).isInstanceOf(ApprovalLinks.Opened.Counting.class);
        now = now.plusSeconds(1);
        assertThat(links.open(link.token())).isInstanceOf(ApprovalLinks.Opened.Over.class);
    }

    @Test
    void whoeverMayNotDecideAnyMoreHasNoVoice() {
        Caller anna = key(Role.APPROVER);
        ApprovalLinks.Minted.Made link = mint(anna, DAY);
        ApiKey before = stored.find(anna.keyId()).orElseThrow();
        stored.put(new ApiKey(
                before.id(), TENANT, "k", before.hash(), Set.of(Role.SUBMITTER, Role.AUDITOR), Optional.empty()));
        assertThat(links.open(link.token())).isInstanceOf(ApprovalLinks.Opened.Over.class);
        stored.put(before);
        assertThat(links.open(link.token())).isInstanceOf(ApprovalLinks.Opened.Counting.class);
        keys.revoke(TENANT, anna.keyId());
        assertThat(links.open(link.token())).isInstanceOf(ApprovalLinks.Opened.Over.class);
    }

    @Test
    void aSubjectThatIsShutOutHasNoVoice() {
        Caller anna =
                Caller.of(new Subject("https://id.example", "anna"), now.plusSeconds(60), TENANT, Set.of(Role.ADMIN));
        ApprovalLinks.Minted.Made link = mint(anna, DAY);
        assertThat(links.open(link.token()))
                .isInstanceOfSatisfying(
                        ApprovalLinks.Opened.Counting.class,
                        open -> assertThat(open.maker().keyId()).isEqualTo("jwt:anna@https://id.example"));
        shutOut.all = true;
        assertThat(links.open(link.token())).isInstanceOf(ApprovalLinks.Opened.Over.class);
    }

    @Test
    void whoeverHasACertificateHasTheVoiceThatTheSettingsGiveHimNow() {
        certified.put("cn:olga", Role.ADMIN);
        Caller olga = Caller.of(
                new Subject(Subject.CERTIFICATES, "cn:olga"), now.plusSeconds(60), TENANT, Set.of(Role.ADMIN));
        ApprovalLinks.Minted.Made link = mint(olga, DAY);
        assertThat(links.open(link.token())).isEqualTo(new ApprovalLinks.Opened.Counting(link.link(), olga, approval));
        certified.put("cn:olga", Role.SUBMITTER);
        assertThat(links.open(link.token())).isEqualTo(new ApprovalLinks.Opened.Over(link.link()));
        certified.clear();
        assertThat(links.open(link.token())).isEqualTo(new ApprovalLinks.Opened.Over(link.link()));
        certified.put("cn:olga", Role.APPROVER);
        assertThat(links.open(link.token())).isInstanceOf(ApprovalLinks.Opened.Counting.class);
        shutOut.all = true;
        assertThat(links.open(link.token())).isInstanceOf(ApprovalLinks.Opened.Over.class);
    }

    @Test
    void noLinkDecidesWhatBecameOfACall() {
        Approval interrupted = approvals.ask(new Question(
                execution.id(),
                2,
                ApprovalKind.OUTCOME,
                0,
                new ToolName("mail", "send"),
                Json.EMPTY_OBJECT,
                "whenUnknown",
                new Terms(1, DAY, Terms.AtExpiry.DENY, "")));
        Caller anna = key(Role.APPROVER);
        assertThat(links.mint(anna, interrupted.id(), DAY)).isInstanceOf(ApprovalLinks.Minted.Outcome.class);
        assertThat(made.links).isEmpty();

        LinkToken token = LinkToken.of(UUID.randomUUID(), new byte[LinkToken.SECRET_BYTES]);
        ApprovalLink.Maker maker = new ApprovalLink.Maker(anna.keyId(), Optional.empty());
        ApprovalLink unsealed =
                new ApprovalLink(token.link(), TENANT, interrupted.id(), "", maker, now.plusSeconds(60), false);
        ApprovalLink old = new ApprovalLink(
                token.link(),
                TENANT,
                interrupted.id(),
                token.seal(unsealed, interrupted.hash()),
                maker,
                now.plusSeconds(60),
                false);
        made.links.add(old);
        assertThat(links.open(token.text())).isEqualTo(new ApprovalLinks.Opened.Outcome(old));
    }

    @Test
    void noLinkIsMadeForOnesOwnNorForWhatIsDecidedOrNotThere() {
        Caller own = new Caller(approval.requester(), TENANT, Set.of(Role.ADMIN));
        assertThat(links.mint(own, approval.id(), DAY)).isInstanceOf(ApprovalLinks.Minted.Own.class);
        assertThat(links(true).mint(own, approval.id(), DAY)).isInstanceOf(ApprovalLinks.Minted.Made.class);
        Caller anna = key(Role.APPROVER);
        assertThat(links.mint(anna, UUID.randomUUID(), DAY)).isInstanceOf(ApprovalLinks.Minted.NotFound.class);
        store.accept(execution);
        approvals.approveAll();
        assertThat(links.mint(anna, approval.id(), DAY)).isInstanceOf(ApprovalLinks.Minted.Decided.class);
    }

    @Test
    void noLinkIsMadeWhenTheTimeToDecideIsOver() {
        now = approval.expiresAt();
        assertThat(links.mint(key(Role.APPROVER), approval.id(), DAY)).isInstanceOf(ApprovalLinks.Minted.Decided.class);
    }

    @Test
    void whatIsWrongOrTakenBackIsUnknown() {
        ApprovalLinks.Minted.Made link = mint(key(Role.APPROVER), DAY);
        String other = link.token().substring(0, link.token().length() - 3) + "AAA";
        assertThat(links.open(other)).isInstanceOf(ApprovalLinks.Opened.Unknown.class);
        assertThat(links.open("")).isInstanceOf(ApprovalLinks.Opened.Unknown.class);
        assertThat(links.revoke("other", approval.id(), link.link().id())).isFalse();
        assertThat(links.open(link.token())).isInstanceOf(ApprovalLinks.Opened.Counting.class);
        assertThat(links.revoke(TENANT, approval.id(), link.link().id())).isTrue();
        assertThat(links.open(link.token())).isInstanceOf(ApprovalLinks.Opened.Unknown.class);
    }

    @Test
    void anApprovalHasSoManyLinks() {
        Caller anna = key(Role.APPROVER);
        for (int i = 0; i < ApprovalLinks.MOST_OF_MAKER; i++) {
            mint(anna, DAY);
        }
        assertThat(links.mint(anna, approval.id(), DAY)).isInstanceOf(ApprovalLinks.Minted.TooMany.class);
        Caller ben = key(Role.APPROVER);
        mint(ben, DAY);
    }

    private static final class LinksInMemory implements ApprovalLinkStore {
        private final List<ApprovalLink> links = new ArrayList<>();

        @Override
        public boolean add(ApprovalLink link, int ofMaker, int most) {
            long own = links.stream()
                    .filter(other -> other.maker().equals(link.maker()))
                    .count();
            return own < ofMaker && links.size() < most && links.add(link);
        }

        @Override
        public Optional<ApprovalLink> find(UUID id) {
            return links.stream().filter(link -> link.id().equals(id)).findFirst();
        }

        @Override
        public boolean remove(String tenant, UUID approval, UUID id) {
            return links.removeIf(link -> link.tenant().equals(tenant)
                    && link.approval().equals(approval)
                    && link.id().equals(id));
        }
    }

    private static final class KeysInMemory implements ApiKeyStore {
        private final Map<String, ApiKey> stored = new HashMap<>();

        @Override
        public Optional<ApiKey> find(String id) {
            return Optional.ofNullable(stored.get(id));
        }

        @Override
        public void put(ApiKey key) {
            stored.put(key.id(), key);
        }

        @Override
        public boolean grant(String tenant, String id, List<String> grants) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean remove(String tenant, String id) {
            return stored.remove(id) != null;
        }

        @Override
        public List<ApiKey> list(String tenant) {
            return List.copyOf(stored.values());
        }
    }

    private static final class BlockedInMemory implements BlockedSubjectStore {
        private boolean all;

        @Override
        public boolean contains(String tenant, Subject subject) {
            return all;
        }

        @Override
        public BlockedSubject add(BlockedSubject blocked) {
            return blocked;
        }

        @Override
        public Optional<BlockedSubject> remove(String tenant, UUID id) {
            return Optional.empty();
        }

        @Override
        public List<BlockedSubject> list(String tenant, Optional<UUID> before, int limit) {
            return List.of();
        }
    }
}
