package org.sallyport.sandbox;

/**
 * A module that scripts may {@code require} or {@code import}, registered by the operator.
 *
 * @param name the name that scripts use
 * @param version its semantic version; scripts may also write {@code name@version}
 * @param sha256 hash of {@code code} in UTF-8, lower-case hexadecimal
 * @param code CommonJS source: sets {@code exports} or {@code module.exports}
 */
public record LibraryModule(String name, String version, String sha256, String code) {}
