package org.sallyport.approval;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The format of link tokens, and the fields of a link that a token protects. */
class ApprovalLinkTokenTest {
    private static final UUID ID = UUID.fromString("019ea7c0-4d5e-7000-8a1e-5c6d7e8f9a0b");
    private static final UUID APPROVAL = UUID.fromString("019ea7c0-2b3c-7000-8a1e-5c6d7e8f9a0b");
    private static final Instant END = Instant.parse("2026-06-08T15:00:45.123Z");
    private static final ApprovalLinkToken TOKEN = ApprovalLinkToken.of(ID, new byte[ApprovalLinkToken.SECRET_BYTES]);

    private static ApprovalLink link(String tenant, UUID approval, String maker, Instant end) {
        ApprovalLink open = new ApprovalLink(
                ID, tenant, approval, "", new ApprovalLink.LinkCreator(maker, Optional.empty()), end, false);
        return withDigest(open, TOKEN.digest(open, "shown"));
    }

    private static ApprovalLink withDigest(ApprovalLink link, String seal) {
        return new ApprovalLink(
                link.id(), link.tenant(), link.approval(), seal, link.creator(), link.expiresAt(), link.used());
    }

    @Test
    void tokenRoundTripsAndIsNotPrinted() {
        assertThat(TOKEN.encode()).startsWith("sl_019ea7c04d5e70008a1e5c6d7e8f9a0b_");
        assertThat(ApprovalLinkToken.parse(TOKEN.encode())).contains(TOKEN);
        assertThat(TOKEN.toString()).doesNotContain(TOKEN.secret());
        assertThat(link("acme", APPROVAL, "anna", END).toString()).doesNotContain(TOKEN.secret());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "sl_",
                "sp_019ea7c04d5e70008a1e5c6d7e8f9a0b_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                "sl_019ea7c04d5e70008a1e5c6d7e8f9a0b_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                "sl_019ea7c04d5e70008a1e5c6d7e8f9a0b_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
                "sl_019EA7C04D5E70008A1E5C6D7E8F9A0B_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                "sl_019ea7c04d5e70008a1e5c6d7e8f9a0b_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n"
            })
    void malformedTokenIsNotParsed(String text) {
        assertThat(ApprovalLinkToken.parse(text)).isEmpty();
    }

    @Test
    void tokenMatchesOnlyItsLink() {
        ApprovalLink link = link("acme", APPROVAL, "anna", END);
        assertThat(TOKEN.matches(link, "shown")).isTrue();
        byte[] noise = new byte[ApprovalLinkToken.SECRET_BYTES];
        noise[31] = 4;
        assertThat(ApprovalLinkToken.of(ID, noise).matches(link, "shown")).isFalse();
    }

    @Test
    void tokenDoesNotMatchATamperedLink() {
        String seal = link("acme", APPROVAL, "anna", END).digest();
        assertThat(TOKEN.matches(link("acme", APPROVAL, "anna", END), "other arguments"))
                .isFalse();
        assertThat(TOKEN.matches(withDigest(link("other", APPROVAL, "anna", END), seal), "shown"))
                .isFalse();
        assertThat(TOKEN.matches(withDigest(link("acme", ID, "anna", END), seal), "shown"))
                .isFalse();
        assertThat(TOKEN.matches(withDigest(link("acme", APPROVAL, "ben", END), seal), "shown"))
                .isFalse();
        assertThat(TOKEN.matches(withDigest(link("acme", APPROVAL, "anna", END.plusSeconds(1)), seal), "shown"))
                .isFalse();
    }
}
