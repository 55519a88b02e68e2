package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

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
import org.sallyport.approval.Approval;
import org.sallyport.approval.ApprovalKind;
import org.sallyport.approval.ApprovalLink;
import org.sallyport.approval.ApprovalLinkStore;
import org.sallyport.approval.ApprovalLinkToken;
import org.sallyport.approval.ApprovalRequest;
import org.sallyport.auth.ApiKey;
import org.sallyport.auth.ApiKeyService;
import org.sallyport.auth.ApiKeyStore;
import org.sallyport.auth.BlockedSubject;
import org.sallyport.auth.BlockedSubjectCache;
import org.sallyport.auth.BlockedSubjectStore;
import org.sallyport.auth.Caller;
import org.sallyport.auth.CallerRevalidator;
import org.sallyport.auth.ExternalSubject;
import org.sallyport.auth.Role;
import org.sallyport.execution.NewExecution;
import org.sallyport.policy.ApprovalTerms;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;

/** The validity of links: their creators and their lifetime. */
class ApprovalLinkServiceTest {
    private static final String TENANT = "acme";
    private static final Duration DAY = Duration.ofDays(1);

    private Instant now = Instant.EPOCH;
    private final InMemoryMakerKeyStore stored = new InMemoryMakerKeyStore();
    private final InMemoryLinkStore linkStore = new InMemoryLinkStore();
    private final ToggleBlockedSubjectStore shutOut = new ToggleBlockedSubjectStore();
    private final Map<String, Role> certified = new HashMap<>();
    private final ApiKeyService keys = new ApiKeyService(stored, () -> now, new SecureRandom());
    private final InMemoryExecutionStore store = new InMemoryExecutionStore();
    private final NewExecution execution = anExecution().build();
    private final InMemoryApprovalStore approvals = new InMemoryApprovalStore(store);
    private final Approval approval = approvals.requestApproval(new ApprovalRequest(
            execution.id(),
            1,
            ApprovalKind.CALL,
            0,
            new ToolName("mail", "send"),
            Json.EMPTY_OBJECT,
            "mail",
            new ApprovalTerms(1, DAY.multipliedBy(7), ApprovalTerms.ExpiryAction.DENY, "")));
    private final ApprovalLinkService links = links(false);

    private ApprovalLinkService links(boolean ownAllowed) {
        return new ApprovalLinkService(
                approvals,
                linkStore,
                (asked, caller) -> !ownAllowed && asked.requester().equals(caller),
                keys,
                new CallerRevalidator(
                        keys, new BlockedSubjectCache(shutOut, UUID::randomUUID, () -> now, Duration.ZERO), () -> now),
                (name, end) -> Optional.ofNullable(certified.get(name))
                        .map(role -> Caller.of(
                                new ExternalSubject(ExternalSubject.CERTIFICATE_ISSUER, name),
                                end,
                                TENANT,
                                Set.of(role))),
                UUID::randomUUID,
                new SecureRandom(),
                () -> now);
    }

    private Caller key(Role role) {
        ApiKey key = keys.issue(TENANT, "k", Set.of(role), Optional.empty()).key();
        return new Caller(key.id(), TENANT, key.roles());
    }

    private ApprovalLinkService.CreateLinkResult.LinkCreated mint(Caller caller, Duration validity) {
        return (ApprovalLinkService.CreateLinkResult.LinkCreated) links.createLink(caller, approval.id(), validity);
    }

    @Test
    void linkActsForItsCreatorAndItsSecretIsNotStored() {
        Caller anna = key(Role.APPROVER);
        ApprovalLinkService.CreateLinkResult.LinkCreated link = mint(anna, DAY);
        assertThat(links.open(link.token()))
                .isEqualTo(new ApprovalLinkService.OpenLinkResult.ValidLink(link.link(), anna, approval));
        assertThat(linkStore.links.toString())
                .doesNotContain(
                        ApprovalLinkToken.parse(link.token()).orElseThrow().secret());
        assertThat(link.link().expiresAt()).isEqualTo(now.plus(DAY));
    }

    @Test
    void linkExpiresWithTheApprovalOrTheCreatorsToken() {
        assertThat(mint(key(Role.ADMIN), DAY.multipliedBy(30)).link().expiresAt())
                .isEqualTo(approval.expiresAt());
        Caller anna = Caller.of(
                new ExternalSubject("https://id.example", "anna"), now.plusSeconds(60), TENANT, Set.of(Role.APPROVER));
        ApprovalLinkService.CreateLinkResult.LinkCreated link = mint(anna, DAY);
        assertThat(link.link().expiresAt()).isEqualTo(now.plusSeconds(60));
        now = now.plusSeconds(59);
        assertThat(links.open(link.token())).isInstanceOf(ApprovalLinkService.OpenLinkResult.ValidLink.class);
        now = now.plusSeconds(1);
        assertThat(links.open(link.token())).isInstanceOf(ApprovalLinkService.OpenLinkResult.InactiveLink.class);
    }

    @Test
    void linkIsInactiveOnceItsCreatorMayNotDecide() {
        Caller anna = key(Role.APPROVER);
        ApprovalLinkService.CreateLinkResult.LinkCreated link = mint(anna, DAY);
        ApiKey before = stored.find(anna.id()).orElseThrow();
        stored.put(new ApiKey(
                before.id(), TENANT, "k", before.hash(), Set.of(Role.SUBMITTER, Role.AUDITOR), Optional.empty()));
        assertThat(links.open(link.token())).isInstanceOf(ApprovalLinkService.OpenLinkResult.InactiveLink.class);
        stored.put(before);
        assertThat(links.open(link.token())).isInstanceOf(ApprovalLinkService.OpenLinkResult.ValidLink.class);
        keys.revoke(TENANT, anna.id());
        assertThat(links.open(link.token())).isInstanceOf(ApprovalLinkService.OpenLinkResult.InactiveLink.class);
    }

    @Test
    void linkOfABlockedSubjectIsInactive() {
        Caller anna = Caller.of(
                new ExternalSubject("https://id.example", "anna"), now.plusSeconds(60), TENANT, Set.of(Role.ADMIN));
        ApprovalLinkService.CreateLinkResult.LinkCreated link = mint(anna, DAY);
        assertThat(links.open(link.token()))
                .isInstanceOfSatisfying(
                        ApprovalLinkService.OpenLinkResult.ValidLink.class,
                        open -> assertThat(open.maker().id()).isEqualTo("jwt:anna@https://id.example"));
        shutOut.all = true;
        assertThat(links.open(link.token())).isInstanceOf(ApprovalLinkService.OpenLinkResult.InactiveLink.class);
    }

    @Test
    void linkOfACertificateSubjectUsesItsCurrentRoles() {
        certified.put("cn:olga", Role.ADMIN);
        Caller olga = Caller.of(
                new ExternalSubject(ExternalSubject.CERTIFICATE_ISSUER, "cn:olga"),
                now.plusSeconds(60),
                TENANT,
                Set.of(Role.ADMIN));
        ApprovalLinkService.CreateLinkResult.LinkCreated link = mint(olga, DAY);
        assertThat(links.open(link.token()))
                .isEqualTo(new ApprovalLinkService.OpenLinkResult.ValidLink(link.link(), olga, approval));
        certified.put("cn:olga", Role.SUBMITTER);
        assertThat(links.open(link.token()))
                .isEqualTo(new ApprovalLinkService.OpenLinkResult.InactiveLink(link.link()));
        certified.clear();
        assertThat(links.open(link.token()))
                .isEqualTo(new ApprovalLinkService.OpenLinkResult.InactiveLink(link.link()));
        certified.put("cn:olga", Role.APPROVER);
        assertThat(links.open(link.token())).isInstanceOf(ApprovalLinkService.OpenLinkResult.ValidLink.class);
        shutOut.all = true;
        assertThat(links.open(link.token())).isInstanceOf(ApprovalLinkService.OpenLinkResult.InactiveLink.class);
    }

    @Test
    void linkCannotDecideTheOutcomeOfACall() {
        Approval interrupted = approvals.requestApproval(new ApprovalRequest(
                execution.id(),
                2,
                ApprovalKind.OUTCOME,
                0,
                new ToolName("mail", "send"),
                Json.EMPTY_OBJECT,
                "whenUnknown",
                new ApprovalTerms(1, DAY, ApprovalTerms.ExpiryAction.DENY, "")));
        Caller anna = key(Role.APPROVER);
        assertThat(links.createLink(anna, interrupted.id(), DAY))
                .isInstanceOf(ApprovalLinkService.CreateLinkResult.OutcomeNotLinkable.class);
        assertThat(linkStore.links).isEmpty();

        ApprovalLinkToken token = ApprovalLinkToken.of(UUID.randomUUID(), new byte[ApprovalLinkToken.SECRET_BYTES]);
        ApprovalLink.LinkCreator maker = new ApprovalLink.LinkCreator(anna.id(), Optional.empty());
        ApprovalLink unsealed =
                new ApprovalLink(token.link(), TENANT, interrupted.id(), "", maker, now.plusSeconds(60), false);
        ApprovalLink old = new ApprovalLink(
                token.link(),
                TENANT,
                interrupted.id(),
                token.digest(unsealed, interrupted.hash()),
                maker,
                now.plusSeconds(60),
                false);
        linkStore.links.add(old);
        assertThat(links.open(token.encode())).isEqualTo(new ApprovalLinkService.OpenLinkResult.OutcomeLink(old));
    }

    @Test
    void linkIsRefusedForOwnDecidedOrUnknownApprovals() {
        Caller own = new Caller(approval.requester(), TENANT, Set.of(Role.ADMIN));
        assertThat(links.createLink(own, approval.id(), DAY))
                .isInstanceOf(ApprovalLinkService.CreateLinkResult.SelfApprovalLinkRefused.class);
        assertThat(links(true).createLink(own, approval.id(), DAY))
                .isInstanceOf(ApprovalLinkService.CreateLinkResult.LinkCreated.class);
        Caller anna = key(Role.APPROVER);
        assertThat(links.createLink(anna, UUID.randomUUID(), DAY))
                .isInstanceOf(ApprovalLinkService.CreateLinkResult.ApprovalNotFound.class);
        store.insert(execution);
        approvals.approveAll();
        assertThat(links.createLink(anna, approval.id(), DAY))
                .isInstanceOf(ApprovalLinkService.CreateLinkResult.ApprovalAlreadyDecided.class);
    }

    @Test
    void linkIsRefusedAfterTheApprovalExpired() {
        now = approval.expiresAt();
        assertThat(links.createLink(key(Role.APPROVER), approval.id(), DAY))
                .isInstanceOf(ApprovalLinkService.CreateLinkResult.ApprovalAlreadyDecided.class);
    }

    @Test
    void wrongOrRevokedLinkIsUnknown() {
        ApprovalLinkService.CreateLinkResult.LinkCreated link = mint(key(Role.APPROVER), DAY);
        String other = link.token().substring(0, link.token().length() - 3) + "AAA";
        assertThat(links.open(other)).isInstanceOf(ApprovalLinkService.OpenLinkResult.UnknownLink.class);
        assertThat(links.open("")).isInstanceOf(ApprovalLinkService.OpenLinkResult.UnknownLink.class);
        assertThat(links.revoke("other", approval.id(), link.link().id())).isFalse();
        assertThat(links.open(link.token())).isInstanceOf(ApprovalLinkService.OpenLinkResult.ValidLink.class);
        assertThat(links.revoke(TENANT, approval.id(), link.link().id())).isTrue();
        assertThat(links.open(link.token())).isInstanceOf(ApprovalLinkService.OpenLinkResult.UnknownLink.class);
    }

    @Test
    void linksPerCreatorOfAnApprovalAreLimited() {
        Caller anna = key(Role.APPROVER);
        for (int i = 0; i < ApprovalLinkService.MAX_LINKS_PER_MAKER; i++) {
            mint(anna, DAY);
        }
        assertThat(links.createLink(anna, approval.id(), DAY))
                .isInstanceOf(ApprovalLinkService.CreateLinkResult.TooManyLinks.class);
        Caller ben = key(Role.APPROVER);
        mint(ben, DAY);
    }

    private static final class InMemoryLinkStore implements ApprovalLinkStore {
        private final List<ApprovalLink> links = new ArrayList<>();

        @Override
        public boolean add(ApprovalLink link, int ofMaker, int maxLinks) {
            long own = links.stream()
                    .filter(other -> other.creator().equals(link.creator()))
                    .count();
            return own < ofMaker && links.size() < maxLinks && links.add(link);
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

    private static final class InMemoryMakerKeyStore implements ApiKeyStore {
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
        public boolean replaceGrants(String tenant, String id, List<String> grants) {
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

    private static final class ToggleBlockedSubjectStore implements BlockedSubjectStore {
        private boolean all;

        @Override
        public boolean contains(String tenant, ExternalSubject subject) {
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
