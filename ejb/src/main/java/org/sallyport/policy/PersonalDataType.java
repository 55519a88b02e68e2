package org.sallyport.policy;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * Data about people, or that lets somebody in, which a tenant may want hidden wherever it would be shown. What could be of two kinds is
 * of the first.
 */
public enum PersonalDataType {
    /** Addresses of mail. */
    EMAIL,
    /** Telephone numbers with a country's prefix, or as written in North America. */
    PHONE,
    /** Account numbers whose length and check digits are right. */
    IBAN,
    /** Numbers by which states know people: of the United States, the United Kingdom, France and Spain. */
    NATIONAL_ID,
    /** Numbers of payment cards whose check digit is right. */
    CARD,
    /** IP addresses. */
    IP,
    /** Keys of well-known services, by their prefixes. */
    API_KEY,
    /** JSON Web Tokens. */
    TOKEN;

    /** As documents name it, and what is shown in its place in brackets. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The kind that is named so. */
    public static Optional<PersonalDataType> of(String word) {
        return Arrays.stream(values()).filter(kind -> kind.label().equals(word)).findFirst();
    }
}
