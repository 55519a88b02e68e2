package org.sallyport.policy;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * Type of personal data or credentials that a tenant may redact wherever data is shown. Data that could be of two types
 * counts as the first of them.
 */
public enum PersonalDataType {
    /** Email addresses. */
    EMAIL,
    /** Telephone numbers with a country prefix, or in North American notation. */
    PHONE,
    /** Bank account numbers with the right length and check digits. */
    IBAN,
    /** National identification numbers of the United States, the United Kingdom, France and Spain. */
    NATIONAL_ID,
    /** Payment card numbers with the right check digit. */
    CARD,
    /** IP addresses. */
    IP,
    /** API keys of well-known services, by their prefixes. */
    API_KEY,
    /** JSON Web Tokens. */
    TOKEN;

    /** Returns the name in policy documents. Redacted text shows it in brackets. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the type with this name. */
    public static Optional<PersonalDataType> of(String word) {
        return Arrays.stream(values()).filter(kind -> kind.label().equals(word)).findFirst();
    }
}
