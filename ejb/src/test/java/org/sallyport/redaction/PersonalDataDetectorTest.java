package org.sallyport.redaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.policy.PersonalDataType;

class PersonalDataDetectorTest {
    /** A scan in quadratic time would take longer than the test allows, also of the shorter text of plain builds. */
    private static final int LONG_TEXT_CHARS = Boolean.getBoolean("sallyport.test.timing") ? 1_000_000 : 250_000;

    private static final Redactor ALL =
            Redactor.NONE.withPersonalData(new PersonalDataDetector(EnumSet.allOf(PersonalDataType.class)));
    private static final String JWT = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "Write to ada.lovelace+work@mail.example.org, please. | Write to [email], please.",
                "<ada@example.org> and bob@example.co.uk. | <[email]> and [email].",
                "paid with 4111 1111 1111 1111 today | paid with [card] today",
                "4111-1111-1111-1111, 378282246310005 | [card], [card]",
                "4111 1111 1111 1111 12/28 100 | [card] 12/28 100",
                "4111111111111111 123 | [card] 123",
                "at +43 1 234 5678 - 2026 | at [phone] - 2026",
                "::ffff:192.0.2.1 | [ip]",
                "hans@müller.de, josé@example.org | [email], [email]",
                "to DE89 3704 0044 0532 0130 00 AND more | to [iban] AND more",
                "GB82WEST12345698765432; AT611904300234573201 | [iban]; [iban]",
                "call +43 1 234 5678 or 0043 (0)664 123 45 67. | call [phone] or [phone].",
                "call (212) 555-0199 or 212-555-0199 | call [phone] or [phone]",
                "SSN 123-45-6789, NINO AB 12 34 56 C | SSN [national-id], NINO [national-id]",
                "NIR 2 55 08 14 168 025 38, DNI 12345678Z | NIR [national-id], DNI [national-id]",
                "from 192.0.2.17 and 2001:db8::ff00:42:8329. | from [ip] and [ip].",
                "1:2:3:4:5:6:7:8 | [ip]",
                "AKIAIOSFODNN7EXAMPLE | [api-key]",
                "ghp_0123456789abcdefghijABCDEFGHIJ012345 | [api-key]",
            })
    void personalDataIsRedacted(String text, String shown) {
        assertThat(ALL.redact(text)).isEqualTo(shown);
        String json = "{\"a\":[\"" + text + "\"]}";
        assertThat(ToolResultRedactor.redact(new org.sallyport.tool.Json(json), ALL)
                        .text())
                .isEqualTo("{\"a\":[\"" + shown + "\"]}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "4111 1111 1111 1112",
                "0000 0000 0000 0000",
                "DE88 3704 1144 0532 0130 11",
                "version 1.2.3.4.5, at 12:34:56, 256.1.1.1",
                "a@b, @example.org, user@localhost",
                "std::string fe:ed",
                "2026-11-22T23:59:59.123456Z",
                "0190163d-8694-739b-aea5-966c26f8ad90",
                "+1, 00, +12345, 1234567890123456789012345",
                "12345678A 1 55 08 14 168 025 99",
                "eyJ.eyJ.x sk-short AKIA",
                "0.4111111111111111",
                "1718000000003, 1718000000011, 1718000000029",
            })
    void similarTextIsNotRedacted(String text) {
        assertThat(ALL.redact(text)).isEqualTo(text);
    }

    @Test
    void onlyConfiguredTypesAreRedacted() {
        Redactor mail = Redactor.NONE.withPersonalData(new PersonalDataDetector(Set.of(PersonalDataType.EMAIL)));
        assertThat(mail.redact("ada@example.org 192.0.2.1")).isEqualTo("[email] 192.0.2.1");
        assertThat(ALL.redact("Bearer " + JWT)).isEqualTo("Bearer [token]");
        assertThat(Redactor.NONE.withPersonalData(PersonalDataDetector.NONE).isEmpty())
                .isTrue();
        assertThat(new Redactor(List.of("s3cr3t-value"))
                        .withPersonalData(new PersonalDataDetector(Set.of(PersonalDataType.EMAIL)))
                        .redact("s3cr3t-value of ada@example.org"))
                .isEqualTo("[redacted] of [email]");
    }

    @Test
    void numberInJsonIsRedacted() {
        assertThat(ToolResultRedactor.redact(new org.sallyport.tool.Json("[4111111111111111,7]"), ALL)
                        .text())
                .isEqualTo("[\"[card]\",7]");
    }

    /** A stream that is redacted in pieces gives the same text as in one piece, with the length of the original. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void streamBoundariesDoNotAffectRedaction(long seed) {
        Random random = new Random(seed);
        String text = "mail ada@example.org now\ncard 4111 1111 1111 1111\nno line end: +43 1 234 5678 and "
                + "s3cr3t-value, " + JWT;
        Redactor redaction = new Redactor(List.of("s3cr3t-value"))
                .withPersonalData(new PersonalDataDetector(EnumSet.allOf(PersonalDataType.class)));
        Redactor.RedactingStream whole = redaction.stream();
        String expected = whole.redactNext(text) + whole.finish();
        Redactor.RedactingStream stream = redaction.stream();
        StringBuilder shown = new StringBuilder();
        for (int at = 0; at < text.length(); ) {
            int to = Math.min(text.length(), at + 1 + random.nextInt(9));
            shown.append(stream.redactNext(text.substring(at, to)));
            at = to;
        }
        shown.append(stream.finish());

        assertThat(shown.toString()).isEqualTo(expected).hasSameSizeAs(text);
        assertThat(expected)
                .startsWith("mail [email]******** now\ncard [card]*************\nno line end: [phone]")
                .contains("[redacted]**, [token]*");
    }

    @Test
    void streamEmitsCompleteLinesAtOnceAndBoundsItsBuffer() {
        Redactor.RedactingStream stream = ALL.stream();
        assertThat(stream.redactNext("a line\nbegun")).isEqualTo("a line\n");
        assertThat(stream.redactNext("x".repeat(10_000))).hasSize(5 + 10_000 - 4_096);
        assertThat(stream.finish()).hasSize(4_096);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"a", "+1", "1 ", "a@a.", "A1", "4-", "eyJaaaaaaaa.", "1:", "DE89 ", "+1(2)", "00 ", "@", "1.1."})
    void redactionOfLongTextIsFast(String piece) {
        String text = piece.repeat(LONG_TEXT_CHARS / piece.length());
        org.junit.jupiter.api.Assertions.assertTimeout(Duration.ofSeconds(30), () -> ALL.redact(text));
    }
}
